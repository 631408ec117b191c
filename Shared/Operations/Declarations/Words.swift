/// The texts for people, in every language, from the `Words/<language>.json` files of the contracts.
///
/// A file is one flat object of key and text: `"failure.unknown_user": "There is no account named {username}."`.
public struct Words: Sendable {
  /// The files of one module, as embedded in its code.
  public struct Source: Sendable {
    let texts: [Language: [UInt8]]

    public init(en: [UInt8], es: [UInt8]) { texts = [.english: en, .spanish: es] }
  }

  private var texts: [Language: [String: String]] = [:]

  /// Keys of that language.
  public func keys(_ language: Language) -> Set<String> { Set(texts[language, default: [:]].keys) }

  /// Reads the files; a malformed one or a key given twice is a programming error and ends the process at start.
  public init(_ sources: [Source]) {
    for source in [Words.shared] + sources {
      for (language, bytes) in source.texts {
        guard let tape = try? JSONTape(bytes), case .object(let members) = tape.json else {
          preconditionFailure("words of \(language) are not a JSON object")
        }
        for member in members {
          guard case .string(let text) = member.value, texts[language, default: [:]].updateValue(text, forKey: member.name) == nil
          else {
            preconditionFailure("words of \(language): \(member.name) is given twice or is not a text")
          }
        }
      }
    }
  }

  /// The words that all services share: field rules and the failures of any request.
  public static let shared = Source(en: PackageResources.en_json, es: PackageResources.es_json)

  /// The names in a text's braces, or nil where the language has no such text.
  public func parameters(_ key: String, _ language: Language) -> Set<String>? {
    guard let template = texts[language]?[key] else { return nil }
    return Set(template.matches(of: /\{([^}]*)\}/).map { String($0.1) })
  }

  /// The text with its `{names}` filled, or nil where the language has none (a test sees to it that it has).
  public func text(_ key: String, _ language: Language, _ parameters: [String: Parameter] = [:]) -> String? {
    guard let template = texts[language]?[key] else { return nil }
    guard template.contains("{") else { return template }
    var result = ""
    var rest = Substring(template)
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      result += rest[..<open]
      let name = rest[rest.index(after: open)..<close]
      result += parameters[String(name)]?.description ?? ""
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }
}
