extension OutputSettings {
  /// The settings as a command that restores them: `.mode` without arguments, and all of them with
  /// `-v`.
  func command(isVerbose: Bool) -> String {
    let usual = OutputSettings(mode)
    var text = ".mode \(mode.rawValue)"
    func add(_ name: String, _ value: String, if differs: Bool) {
      if isVerbose || differs { text += " --\(name) \(value)" }
    }
    func onOff(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    add("align", "\"\(fit.alignment)\"", if: mode.isTabular && !fit.alignment.isEmpty)
    add("border", onOff(hasBorder), if: hasBorder != usual.hasBorder)
    let usualBlobs: BlobQuoting = mode == .tcl || mode == .c ? .tcl : .auto
    let blobs = blobQuoting == .auto ? usualBlobs : blobQuoting
    add("blob-quote", blobs.rawValue, if: blobs != .auto)
    add(
      "colsep", escapedString(columnSeparator),
      if: hasSeparators && columnSeparator != usual.columnSeparator)
    add("escape", escape.rawValue, if: escape != .auto)
    let areLimited = mode.isTabular || mode == .line ? fit.limits != "off" : fit.characters > 0
    add("limits", fit.limits, if: areLimited)
    if isVerbose { text += " --multiinsert \(multiInsert)" }
    add("null", escapedString(nullText), if: nullText != usual.nullText)
    add("quote", quoting.rawValue, if: quoting != usual.quoting)
    add(
      "rowsep", escapedString(rowSeparator),
      if: hasSeparators && rowSeparator != usual.rowSeparator)
    let screen =
      switch fit.screen {
      case .off: "0"
      case .automatic: "auto"
      case .columns(let count): String(count)
      }
    let usesScreen = mode.isTabular || mode == .line
    add("sw", screen, if: usesScreen && fit.screen != usual.fit.screen)
    add(
      "tablename", escapedString(tableName == "tab" ? "" : tableName), if: mode == .insert)
    add("textjsonb", onOff(showsJSONB ?? false), if: showsJSONB != nil)
    let titleName = titleQuoting.map { $0 == .off ? "on" : $0.rawValue } ?? "on"
    add(
      "titles", showsTitles ? titleName : "off",
      if: showsTitles != usual.showsTitles || showsTitles && titleName != "on")
    let widths = fit.widths.map(String.init).joined(separator: ",")
    add("widths", widths.isEmpty ? "\"\"" : widths, if: mode.isTabular && !fit.widths.isEmpty)
    if isVerbose {
      text += " --wordwrap \(onOff(fit.wrapsWords == true))"
    } else if fit.wrapsWords == true, mode.isTabular {
      text += (fit.wrap > 0 ? " --wrap \(fit.wrap)" : "") + " --ww"
    }
    return text
  }
}

/// A string as `.show` prints it: in double quotes, control characters as C escapes.
func escapedString(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n": result += "\\n"
    case "\t": result += "\\t"
    case "\r": result += "\\r"
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    default: result += scalar.value < 0x20 ? "\\" + octal(UInt8(scalar.value)) : String(scalar)
    }
  }
  return result + "\""
}

/// Three octal digits.
func octal(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 8)
  return String(repeating: "0", count: 3 - digits.count) + digits
}
