/// The rows of the bench, printed as one table at the end.
final class Report {
  private struct Row {
    let work: String
    let figure: String
    /// What is asked for, and whether it was reached; nil where the figure alone counts.
    let target: (text: String, isReached: Bool)?
  }

  private var rows: [Row] = []
  private var raw: [String] = []

  func add(_ work: String, _ figure: String, target: String, isReached: Bool) {
    rows.append(Row(work: work, figure: figure, target: (target, isReached)))
  }

  /// A figure of which nothing is asked.
  func publish(_ work: String, _ figure: String) { rows.append(Row(work: work, figure: figure, target: nil)) }

  func ratio(_ work: String, _ ratio: Double, target: Double) {
    add(work, String((ratio * 100).rounded() / 100) + " of hello", target: String(target), isReached: ratio >= target)
  }

  func raw(_ line: String) { raw.append(line) }

  func print() {
    let width = rows.map(\.work.count).max() ?? 0
    for row in rows {
      let work = row.work + String(repeating: " ", count: width - row.work.count)
      let mark = row.target.map { $0.isReached ? "ok  " : "MISS" } ?? "    "
      Swift.print("\(mark) \(work)  \(row.figure)\(row.target.map { "  (asked for: \($0.text))" } ?? "")")
    }
    Swift.print("raw:")
    for line in raw { Swift.print("  \(line)") }
  }
}
