import MartletEngine

extension MeasuredPlan {
  /// The plan as a picture: a line a step, with its time, and the rows that it visited beside those
  /// that the planner expected.
  func picture(of sql: String) -> String {
    let margin = 16, lineHeight = 28, top = 84, indent = 22
    let details = steps.map { SVG.cut($0.detail, to: 70) }
    let widest =
      zip(steps, details).map { step, detail in
        step.depth * indent + (detail.count + 2) * SVG.characterWidth
      }.max() ?? 0
    let timeColumn = margin + max(widest, 240) + 24
    let loopColumn = timeColumn + 270, rowColumn = loopColumn + 110
    let estimateColumn = rowColumn + 130, width = estimateColumn + margin
    var svg = SVG(width: width, height: top + steps.count * lineHeight + 44)
    let title = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    svg.text(
      SVG.cut(title, to: (width - 2 * margin) / (SVG.characterWidth + 1)), margin, 28, isBold: true)
    svg.text("\(Self.duration(nanoseconds)) in the loops", margin, 48, fill: SVG.faint)
    svg.text("time", timeColumn, top - 12, fill: SVG.faint)
    for (title, column) in [
      ("runs", loopColumn), ("rows a run", rowColumn), ("expected", estimateColumn),
    ] {
      svg.text(title, column, top - 12, fill: SVG.faint, anchor: "end")
    }
    for (index, step) in steps.enumerated() {
      let y = top + index * lineHeight
      let x = margin + step.depth * indent
      svg.line(margin, y - 6, width - margin, y - 6)
      drawBranches(of: step, at: y, margin: margin, indent: indent, lineHeight, into: &svg)
      svg.text(details[index], x + 10, y + 12, fill: step.loop == nil ? SVG.faint : SVG.ink)
      guard let loop = step.loop else { continue }
      let barWidth = 120
      svg.rectangle(timeColumn, y + 1, barWidth, 14, fill: "#f3f4f6")
      svg.rectangle(
        timeColumn, y + 1, barWidth * min(share(of: loop), 100) / 100, 14, fill: "#f59e0b")
      svg.text(Self.duration(loop.nanoseconds), timeColumn + barWidth + 8, y + 12)
      let found = Self.rowsPerRun(of: loop)
      let isWrong = Self.isFar(found, from: loop.estimatedRowCount) && loop.runCount > 0
      svg.text("\(loop.runCount)", loopColumn, y + 12, anchor: "end")
      svg.text(Self.number(found), rowColumn, y + 12, anchor: "end")
      svg.text(
        Self.number(loop.estimatedRowCount), estimateColumn, y + 12,
        fill: isWrong ? "#dc2626" : SVG.ink, anchor: "end")
    }
    svg.text(
      "Red: ten times more or fewer rows than the planner expected.", margin,
      top + steps.count * lineHeight + 24, fill: SVG.faint)
    return svg.file
  }

  private func drawBranches(
    of step: Step, at y: Int, margin: Int, indent: Int, _ lineHeight: Int, into svg: inout SVG
  ) {
    let middle = y + 8
    for (depth, isLast) in step.isLast.enumerated() where depth > 0 {
      let x = margin + depth * indent - indent / 2 - 2
      let isOwn = depth == step.isLast.count - 1
      if isOwn {
        svg.line(x, middle, x + indent / 2 + 6, middle)
        svg.line(x, middle, x, y - 12)
      }
      if !isLast { svg.line(x, y - 12, x, y + lineHeight - 12) }
    }
  }

  /// Ten times more, or fewer.
  private static func isFar(_ found: Double, from expected: Double) -> Bool {
    let ratio = max(found, 1) / max(expected, 1)
    return ratio >= 10 || ratio <= 0.1
  }
}

extension Command {
  /// `.plan`: the plan of the next statement, as it ran, into a picture.
  func drawPlan(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".plan FILE.svg", in: session) }
    session.planPicture = arguments[0]
    session.open()?.set(.statementScanStatus, on: true)
    return .done
  }
}

extension Session {
  /// Writes the picture that `.plan` wants.
  func drawPlan(of statement: Statement) {
    guard let path = planPicture else { return }
    let plan = MeasuredPlan(of: statement)
    if plan.steps.isEmpty { return }
    planPicture = nil
    measurePlans(planMeasures)
    let picture = Array(plan.picture(of: statement.sql).utf8)
    if !DiskEntry.write(path, picture, mode: nil, modificationTime: nil) {
      printError("Error: cannot open \"\(path)\"\n")
    }
  }
}
