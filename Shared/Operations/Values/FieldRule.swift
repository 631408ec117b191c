/// A value inside an error's text: `{limit}` in the words is filled with the ``Parameter/number(_:)`` whose key is `limit`. ``Words``
/// decides how it is written in each language.
public enum Parameter: Codable, Hashable, Sendable, CustomStringConvertible {
  case text(String)
  case number(Int)
  /// A number that is not whole.
  case decimal(Double)

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else if let number = try? container.decode(Double.self) {
      self = .decimal(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .decimal(let number): try container.encode(number)
    }
  }

  public var description: String {
    switch self {
    case .text(let text): text
    case .number(let number): String(number)
    case .decimal(let number): String(number)
    }
  }
}

/// The rule that a value breaks: a stable code (the words' key is `field.<code>`) and the parameters of its text.
public struct FieldRule: Error, Hashable, Sendable {
  public let code: String
  public let parameters: [String: Parameter]

  public init(_ code: String, _ parameters: [String: Parameter] = [:]) {
    self.code = code
    self.parameters = parameters
  }
}

/// A rule broken by a field of a document.
public struct FieldProblem: Hashable, Sendable, Codable {
  /// Where: `title`, `goal.amount`, `samples[3].start`.
  public let field: String
  public let code: String
  public let parameters: [String: Parameter]

  /// Most bytes of a name made up by a client that are returned to it.
  public static let maxNameBytes = 100

  public init(field: String, _ rule: FieldRule) {
    self.field = field
    code = rule.code
    parameters = rule.parameters
  }
}
