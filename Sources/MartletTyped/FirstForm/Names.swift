// The names of 2015: cases began with capitals.

extension PrimaryKey {
  /// `autoincrement`.
  @available(*, deprecated, renamed: "autoincrement")
  public static var Autoincrement: PrimaryKey { .autoincrement }
}

extension Collation {
  /// `binary`.
  @available(*, deprecated, renamed: "binary")
  public static var Binary: Collation { .binary }
  /// `nocase`.
  @available(*, deprecated, renamed: "nocase")
  public static var Nocase: Collation { .nocase }
  /// `rtrim`.
  @available(*, deprecated, renamed: "rtrim")
  public static var Rtrim: Collation { .rtrim }
  /// `custom`.
  @available(*, deprecated, renamed: "custom(_:)")
  public static func Custom(_ name: String) -> Collation { .custom(name) }
}

extension OnConflict {
  /// `replace`.
  @available(*, deprecated, renamed: "replace")
  public static var Replace: OnConflict { .replace }
  /// `rollback`.
  @available(*, deprecated, renamed: "rollback")
  public static var Rollback: OnConflict { .rollback }
  /// `abort`.
  @available(*, deprecated, renamed: "abort")
  public static var Abort: OnConflict { .abort }
  /// `fail`.
  @available(*, deprecated, renamed: "fail")
  public static var Fail: OnConflict { .fail }
  /// `ignore`.
  @available(*, deprecated, renamed: "ignore")
  public static var Ignore: OnConflict { .ignore }
}

extension JoinType {
  /// `cross`.
  @available(*, deprecated, renamed: "cross")
  public static var Cross: JoinType { .cross }
  /// `inner`.
  @available(*, deprecated, renamed: "inner")
  public static var Inner: JoinType { .inner }
  /// `leftOuter`.
  @available(*, deprecated, renamed: "leftOuter")
  public static var LeftOuter: JoinType { .leftOuter }
}

extension TableBuilder.Dependency {
  /// `noAction`.
  @available(*, deprecated, renamed: "noAction")
  public static var NoAction: Self { .noAction }
  /// `restrict`.
  @available(*, deprecated, renamed: "restrict")
  public static var Restrict: Self { .restrict }
  /// `setNull`.
  @available(*, deprecated, renamed: "setNull")
  public static var SetNull: Self { .setNull }
  /// `setDefault`.
  @available(*, deprecated, renamed: "setDefault")
  public static var SetDefault: Self { .setDefault }
  /// `cascade`.
  @available(*, deprecated, renamed: "cascade")
  public static var Cascade: Self { .cascade }
}
