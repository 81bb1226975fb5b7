// Names with the module's before them, as programs for SQLite.swift write them where two modules
// have the same one.

/// Stands for the module of SQLite.swift: `SQLite.Expression` is `MartletTyped.Expression`.
public enum SQLite {
  /// An expression, where Foundation's type of that name is there too.
  public typealias Expression<Datatype> = MartletTyped.Expression<Datatype>
  /// A query of one column.
  public typealias ScalarQuery<V> = MartletTyped.ScalarQuery<V>
  /// A SELECT that gives one value.
  public typealias Select<T> = MartletTyped.Select<T>
  /// `MartletTyped.Backup`.
  public typealias Backup = MartletTyped.Backup
  /// `MartletTyped.Binding`.
  public typealias Binding = MartletTyped.Binding
  /// `MartletTyped.Blob`.
  public typealias Blob = MartletTyped.Blob
  /// `MartletTyped.Collation`.
  public typealias Collation = MartletTyped.Collation
  /// `MartletTyped.ColumnDefinition`.
  public typealias ColumnDefinition = MartletTyped.ColumnDefinition
  /// `MartletTyped.Connection`.
  public typealias Connection = MartletTyped.Connection
  /// `MartletTyped.Cursor`.
  public typealias Cursor = MartletTyped.Cursor
  /// `MartletTyped.Delete`.
  public typealias Delete = MartletTyped.Delete
  /// `MartletTyped.Expressible`.
  public typealias Expressible = MartletTyped.Expressible
  /// `MartletTyped.ExpressionType`.
  public typealias ExpressionType = MartletTyped.ExpressionType
  /// `MartletTyped.IndexDefinition`.
  public typealias IndexDefinition = MartletTyped.IndexDefinition
  /// `MartletTyped.Insert`.
  public typealias Insert = MartletTyped.Insert
  /// `MartletTyped.JoinType`.
  public typealias JoinType = MartletTyped.JoinType
  /// `MartletTyped.Module`.
  public typealias Module = MartletTyped.Module
  /// `MartletTyped.Number`.
  public typealias Number = MartletTyped.Number
  /// `MartletTyped.ObjectDefinition`.
  public typealias ObjectDefinition = MartletTyped.ObjectDefinition
  /// `MartletTyped.OnConflict`.
  public typealias OnConflict = MartletTyped.OnConflict
  /// `MartletTyped.QueryError`.
  public typealias QueryError = MartletTyped.QueryError
  /// `MartletTyped.QueryType`.
  public typealias QueryType = MartletTyped.QueryType
  /// `MartletTyped.Result`.
  public typealias Result = MartletTyped.Result
  /// `MartletTyped.Row`.
  public typealias Row = MartletTyped.Row
  /// `MartletTyped.RowIterator`.
  public typealias RowIterator = MartletTyped.RowIterator
  /// `MartletTyped.SchemaChanger`.
  public typealias SchemaChanger = MartletTyped.SchemaChanger
  /// `MartletTyped.SchemaReader`.
  public typealias SchemaReader = MartletTyped.SchemaReader
  /// `MartletTyped.SchemaType`.
  public typealias SchemaType = MartletTyped.SchemaType
  /// `MartletTyped.Setter`.
  public typealias Setter = MartletTyped.Setter
  /// `MartletTyped.Statement`.
  public typealias Statement = MartletTyped.Statement
  /// `MartletTyped.Table`.
  public typealias Table = MartletTyped.Table
  /// `MartletTyped.TableBuilder`.
  public typealias TableBuilder = MartletTyped.TableBuilder
  /// `MartletTyped.Tokenizer`.
  public typealias Tokenizer = MartletTyped.Tokenizer
  /// `MartletTyped.Update`.
  public typealias Update = MartletTyped.Update
  /// `MartletTyped.Value`.
  public typealias Value = MartletTyped.Value
  /// `MartletTyped.View`.
  public typealias View = MartletTyped.View
  /// `MartletTyped.VirtualTable`.
  public typealias VirtualTable = MartletTyped.VirtualTable
}
