// Setters that change the bits of integers.

/// Moves the bits to the left.
public func <<= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column << value)
}

/// Moves the bits to the left.
public func <<= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column << value)
}

/// Moves the bits to the left.
public func <<= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column, column << value)
}

/// Moves the bits to the right.
public func >>= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column >> value)
}

/// Moves the bits to the right.
public func >>= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column >> value)
}

/// Moves the bits to the right.
public func >>= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column, column >> value)
}

/// Keeps the bits that are in both.
public func &= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column & value)
}

/// Keeps the bits that are in both.
public func &= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column & value)
}

/// Keeps the bits that are in both.
public func &= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column, column & value)
}

/// Sets the bits that are in one of them.
public func |= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column | value)
}

/// Sets the bits that are in one of them.
public func |= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column | value)
}

/// Sets the bits that are in one of them.
public func |= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column, column | value)
}

/// Sets the bits that are in one of them and not in both.
public func ^= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column ^ value)
}

/// Sets the bits that are in one of them and not in both.
public func ^= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column ^ value)
}

/// Sets the bits that are in one of them and not in both.
public func ^= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column, column ^ value)
}

/// Adds 1 to the column.
public postfix func ++ <A: ColumnType>(column: Expression<A>) -> Setter
where A.ColumnValue.Datatype == Int64 {
  Setter(column, "+".infix(column, Int64(1)) as Expression<Void>)
}

/// Takes 1 from the column.
public postfix func -- <A: ColumnType>(column: Expression<A>) -> Setter
where A.ColumnValue.Datatype == Int64 {
  Setter(column, "-".infix(column, Int64(1)) as Expression<Void>)
}
