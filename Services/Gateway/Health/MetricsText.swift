import Operations
import ServiceKit

/// Puts the metrics of several processes together: the text format allows each family to be declared only once.
enum MetricsText {
  /// What all six report, and of each whether it reported anything: a service that is stopped or hangs has a series that says so.
  ///
  /// - Parameter own: the gateway's.
  static func all(own: String, _ answers: [(service: ServiceName, answer: Result<ReadMetrics.Output, Failure>)]) -> String {
    var texts = [own]
    var up = ["# TYPE racha_up gauge", "racha_up{service=\"gateway\"} 1"]
    for (service, answer) in answers {
      var isUp = false
      if case .success(let output) = answer {
        texts.append(output.text)
        isUp = true
      }
      up.append("racha_up{service=\"\(service.rawValue)\"} \(isUp ? 1 : 0)")
    }
    return merge([up.joined(separator: "\n")] + texts)
  }

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
