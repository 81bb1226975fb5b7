/// A picture, put together from a few shapes.
struct SVG {
  private var body = ""
  private let width: Int
  private let height: Int

  static let ink = "#1f2937"
  static let faint = "#6b7280"
  static let line = "#d1d5db"
  static let characterWidth = 7

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  mutating func rectangle(
    _ x: Int, _ y: Int, _ width: Int, _ height: Int, fill: String, stroke: String? = nil
  ) {
    let border = stroke.map { " stroke=\"\($0)\"" } ?? ""
    body += "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\""
    body += " fill=\"\(fill)\"\(border)/>\n"
  }

  mutating func line(_ x1: Int, _ y1: Int, _ x2: Int, _ y2: Int) {
    body += "<path d=\"M\(x1) \(y1)L\(x2) \(y2)\" stroke=\"\(Self.line)\"/>\n"
  }

  mutating func text(
    _ text: String, _ x: Int, _ y: Int, fill: String = SVG.ink, anchor: String? = nil,
    isBold: Bool = false
  ) {
    let place = anchor.map { " text-anchor=\"\($0)\"" } ?? ""
    let weight = isBold ? " font-weight=\"bold\"" : ""
    body += "<text x=\"\(x)\" y=\"\(y)\" fill=\"\(fill)\"\(place)\(weight)>"
    body += "\(Self.escaped(text))</text>\n"
  }

  /// Characters that XML does not allow are replaced.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The beginning of a text that has no more than so many characters.
  static func cut(_ text: String, to count: Int) -> String {
    text.count <= count ? text : String(text.prefix(max(count - 1, 0))) + "…"
  }

  var file: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
    viewBox="0 0 \(width) \(height)" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" \
    font-size="12">
    <rect width="\(width)" height="\(height)" fill="white"/>
    \(body)</svg>

    """
  }
}
