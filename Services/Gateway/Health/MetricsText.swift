/// Puts the metrics of several processes together: the text format allows each family to be declared only once.
enum MetricsText {
  static func merge(_ texts: [String]) -> String {
    var families: [(name: Substring, lines: [Substring])] = []
    var indices: [Substring: Int] = [:]
    for text in texts {
      var current: Int?
      for line in text.split(separator: "\n") {
        if line.hasPrefix("# TYPE "), let name = line.dropFirst(7).split(separator: " ").first {
          if let known = indices[name] {
            current = known
          } else {
            current = families.count
            indices[name] = families.count
            families.append((name, [line]))
          }
        } else if !line.hasPrefix("#"), let current {
          families[current].lines.append(line)
        }
      }
    }
    return families.sorted { $0.name < $1.name }.map { $0.lines.joined(separator: "\n") + "\n" }.joined()
  }
}
