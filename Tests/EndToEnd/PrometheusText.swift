/// Prometheus text (exposition format 0.0.4), read strictly, and what is unusual about its names.
struct PrometheusText {
  struct Sample {
    let name: String
    let labels: [(name: String, value: String)]
    let value: Double
  }

  struct Family {
    let name: String
    let type: String
    var samples: [Sample] = []
  }

  struct Malformed: Error {
    let line: String
  }

  let families: [Family]

  /// Made once for all lines: what a pattern is compiled to is kept with its value.
  private struct Patterns {
    let type = /# TYPE (\S+) (counter|gauge|histogram|summary|untyped)/
    let sample = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/
    let label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/
  }

  init(_ text: String) throws {
    let patterns = Patterns()
    var families: [Family] = []
    for line in text.split(separator: "\n").map(String.init) {
      if let match = line.wholeMatch(of: patterns.type) {
        families.append(Family(name: String(match.1), type: String(match.2)))
      } else if !line.hasPrefix("#") {
        guard let last = families.indices.last else { throw Malformed(line: line) }
        families[last].samples.append(try PrometheusText.sample(line, patterns))
      }
    }
    self.families = families
  }

  private static func sample(_ line: String, _ patterns: Patterns) throws -> Sample {
    guard let match = line.wholeMatch(of: patterns.sample), let value = Double(match.3) else {
      throw Malformed(line: line)
    }
    var labels: [(name: String, value: String)] = []
    var rest = match.2 ?? ""
    while !rest.isEmpty {
      guard let first = rest.prefixMatch(of: patterns.label) else { throw Malformed(line: line) }
      labels.append((String(first.1), String(first.2)))
      rest = rest[first.range.upperBound...]
      if rest.first == "," { rest = rest.dropFirst() } else if !rest.isEmpty { throw Malformed(line: line) }
    }
    return Sample(name: String(match.1), labels: labels, value: value)
  }

  /// Everything against the rules of the format or the conventions of naming (https://prometheus.io/docs/practices/naming).
  var faults: [String] {
    var faults: [String] = []
    let names = families.map(\.name)
    for name in Set(names) where names.filter({ $0 == name }).count > 1 { faults.append("\(name) is declared twice") }
    for family in families {
      faults += nameFaults(family)
      var series: Set<String> = []
      for sample in family.samples {
        let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        if !suffixes.contains(where: { family.name + $0 == sample.name }) {
          faults.append("\(sample.name) stands under \(family.name)")
        }
        let labels = sample.labels.map(\.name)
        if Set(labels).count != labels.count { faults.append("\(sample.name) has a label twice: \(labels)") }
        for label in labels where label.hasPrefix("__") || label.contains(where: \.isUppercase) {
          faults.append("\(sample.name) has the label \(label)")
        }
        let key = sample.name + sample.labels.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: ",")
        if !series.insert(key).inserted { faults.append("\(key) is there twice") }
        if family.type != "gauge", sample.value < 0 { faults.append("\(key) is negative") }
      }
    }
    return faults
  }

  private func nameFaults(_ family: Family) -> [String] {
    var faults: [String] = []
    let name = family.name
    if name.wholeMatch(of: /racha(_[a-z][a-z0-9]*)+/) == nil { faults.append("\(name) is no name in snake case with our prefix") }
    let parts = name.split(separator: "_")
    if (family.type == "counter") != (parts.last == "total") { faults.append("\(name) is a \(family.type)") }
    if Set(parts).count != parts.count { faults.append("\(name) says something twice") }
    if ["bucket", "sum", "count"].contains(parts.last) { faults.append("\(name) ends like a part of a histogram") }
    for unit in ["milliseconds", "ms", "nanoseconds", "kilobytes", "mb", "percent"] where parts.contains(Substring(unit)) {
      faults.append("\(name) is not in a base unit")
    }
    return faults
  }
}
