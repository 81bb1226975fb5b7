// ON CONFLICT DO UPDATE (lang_upsert).

extension Emitter {
  func emitUpsert(
    _ upsert: BoundUpsert, _ writer: RowWriter, conflictingKey: RegisterIndex
  ) throws(SQLError) {
    throw .notSupported("ON CONFLICT")
  }
}
