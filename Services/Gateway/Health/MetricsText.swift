import Operations
import ServiceKit

/// Puts the metrics of several processes together: the text format allows each family to be declared only once.
enum MetricsText {
  /// What all six report, and of each whether it reported anything: a service that is stopped or hangs has a series that says so.
  ///
  /// - Parameter own: the gateway's.
  static func all(own: String, _ answers: [(service: ServiceName, answer: Result<ReadMetrics.Output, Failure>)]) -> [UInt8] {
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

  /// A family, and where its samples are.
  private struct Family {
    let name: ArraySlice<UInt8>
    /// Neighbouring lines of one text, with their line breaks.
    var samples: [ArraySlice<UInt8>]
  }

  /// The samples of each family under one declaration, families in the order of their names.
  ///
  /// Texts have thousands of lines, so they are read as bytes, and lines that follow on each other are copied as one.
  static func merge(_ texts: [String]) -> [UInt8] {
    var families: [Family] = []
    var indices: [ArraySlice<UInt8>: Int] = [:]
    for text in texts {
      let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
      var current: Int?
      // Whether the line before is the end of the family's last slice.
      var isContinued = false
      var start = 0
      while let end = bytes[start...].firstIndex(of: newline) {
        let line = bytes[start...end]
        start = end + 1
        if line.starts(with: declaration) {
          let name = line.dropFirst(declaration.count).prefix { $0 != space && $0 != newline }
          isContinued = indices[name] == nil
          if isContinued {
            indices[name] = families.count
            families.append(Family(name: name, samples: [line]))
          }
          current = indices[name]
        } else if line.count > 1, line.first != comment, let current {
          if isContinued, let first = families[current].samples.popLast() {
            families[current].samples.append(bytes[first.startIndex...end])
          } else {
            families[current].samples.append(line)
          }
          isContinued = true
        } else {
          isContinued = false
        }
      }
    }
    return families.sorted { $0.name.lexicographicallyPrecedes($1.name) }.flatMap { $0.samples.joined() }
  }

  private static let declaration = Array("# TYPE ".utf8)
  private static let (newline, space, comment) = (UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "#"))
}
