// Setters that change the bits of integers.

/// Moves the bits to the left.
@inlinable
public func <<= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column << value).expression)
}

/// Moves the bits to the left.
@inlinable
public func <<= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column << value).expression)
}

/// Moves the bits to the left.
@inlinable
public func <<= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column << value).expression)
}

/// Moves the bits to the right.
@inlinable
public func >>= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column >> value).expression)
}

/// Moves the bits to the right.
@inlinable
public func >>= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column >> value).expression)
}

/// Moves the bits to the right.
@inlinable
public func >>= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column >> value).expression)
}

/// Keeps the bits that are in both.
@inlinable
public func &= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column & value).expression)
}

/// Keeps the bits that are in both.
@inlinable
public func &= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column & value).expression)
}

/// Keeps the bits that are in both.
@inlinable
public func &= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column & value).expression)
}

/// Sets the bits that are in one of them.
@inlinable
public func |= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column | value).expression)
}

/// Sets the bits that are in one of them.
@inlinable
public func |= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column | value).expression)
}

/// Sets the bits that are in one of them.
@inlinable
public func |= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column | value).expression)
}

/// Sets the bits that are in one of them and not in both.
@inlinable
public func ^= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column ^ value).expression)
}

/// Sets the bits that are in one of them and not in both.
@inlinable
public func ^= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column ^ value).expression)
}

/// Sets the bits that are in one of them and not in both.
@inlinable
public func ^= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column ^ value).expression)
}

/// Adds 1 to the column.
public postfix func ++ <A: ColumnType>(column: Expression<A>) -> Setter
where A.ColumnValue.Datatype == Int64 {
  Setter(column.expression, combine(column.expression, "+", bound(1)))
}

/// Takes 1 from the column.
public postfix func -- <A: ColumnType>(column: Expression<A>) -> Setter
where A.ColumnValue.Datatype == Int64 {
  Setter(column.expression, combine(column.expression, "-", bound(1)))
}
