// Which library this is (c3ref/libversion, c3ref/threadsafe).
import CSQLite3

/// Text that the library gives away and never frees.
func permanentCString(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

@c @implementation
public func sqlite3_libversion() -> UnsafePointer<CChar>! { permanentCString("3.53.4") }

@c @implementation
public func sqlite3_libversion_number() -> Int32 { SQLITE_VERSION_NUMBER }

/// The check-in whose behaviour this is, then Martlet's name: programs compare the beginning with
/// the header's SQLITE_SOURCE_ID.
@c @implementation
public func sqlite3_sourceid() -> UnsafePointer<CChar>! {
  permanentCString(
    """
    2026-07-24 19:02:57 \
    bf7c7f30031888f4e796e429ab3978879485813aaca6f641c7b33e4e09459bcc Martlet
    """)
}

/// Calls on one connection exclude each other, as in serialized mode.
@c @implementation
public func sqlite3_threadsafe() -> Int32 { 1 }
