/// What a broken constraint does (lang_conflict §2).
enum ConflictPolicy: UInt8 { case rollback, abort, fail, ignore, replace }
