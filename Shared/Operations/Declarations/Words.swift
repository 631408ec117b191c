import COperationsWords

/// The texts for people, in every language, from the `Words/<language>.json` files of the contracts.
///
/// A file is one flat object of keys and texts: `"failure.unknown_user": "There is no account named {username}."`. A placeholder in braces
/// is filled with the parameter of that name:
///
/// - `{maximum}`: the parameter, a number as the language writes it.
/// - `{kind:goalKind}`: a code in words: for `check`, the text of `goalKind.check`. A code without a text stands for itself.
/// - `{seconds:duration}`: a number of seconds as days, hours, minutes and seconds.
/// - `{count:grouped}`: a number with its digits in groups of three, as `12,500` in English and `12.500` in Spanish, which groups from five
///   digits on.
/// - `{title:translated}`: of the parameters `title` (English) and `title.es`, the one in the text's own language.
/// - `{until:minute}`: an ``Instant``, as `2026-11-22 08:43 UTC`.
public struct Words: Sendable {
  /// The files of one module, as embedded in its code.
  public struct Source: Sendable {
    let texts: [Language: [UInt8]]

    public init(en: [UInt8], es: [UInt8]) { texts = [.english: en, .spanish: es] }
  }

  private var texts: [Language: [String: String]] = [:]

  /// The keys of that language.
  public func keys(_ language: Language) -> Set<String> { Set(texts[language, default: [:]].keys) }

  /// Reads the files. A malformed file or a duplicate key is a programming error and ends the process at start.
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
  public static let shared = Source(en: [UInt8](operations_words_en), es: [UInt8](operations_words_es))

  /// The names in a text's braces; nil if the language has no such text.
  public func parameters(_ key: String, _ language: Language) -> Set<String>? {
    guard let template = texts[language]?[key] else { return nil }
    return Set(template.matches(of: /\{([^}:]*)(?::[^}]*)?\}/).map { String($0.1) })
  }

  /// The text with its braces filled; nil if the language has no such text (a test checks that it has).
  public func text(_ key: String, _ language: Language, _ parameters: [String: Parameter] = [:]) -> String? {
    texts[language]?[key].map { filled($0, language, parameters) }
  }

  /// The paragraphs of a text, divided by empty lines, without filling the braces; nil if the language has no such text.
  public func paragraphs(_ key: String, _ language: Language) -> [String]? {
    texts[language]?[key].map { $0.split(separator: "\n\n").map(String.init) }
  }

  /// A text with its braces filled, such as a paragraph of ``paragraphs(_:_:)``.
  public func filled(_ template: String, _ language: Language, _ parameters: [String: Parameter]) -> String {
    guard template.utf8.contains(UInt8(ascii: "{")) else { return template }
    var result = ""
    var rest = Substring(template)
    while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")),
      let close = rest[open...].utf8.firstIndex(of: UInt8(ascii: "}"))
    {
      result += rest[..<open]
      result += filled(rest[rest.utf8.index(after: open)..<close], language, parameters)
      rest = rest[rest.utf8.index(after: close)...]
    }
    return result + rest
  }

  /// The value of a placeholder: a name, or a name and a format.
  private func filled(_ placeholder: Substring, _ language: Language, _ parameters: [String: Parameter]) -> String {
    let parts = placeholder.split(at: ":", maxSplits: 1).map(String.init)
    if parts.count == 2, parts[1] == "translated", let own = parameters["\(parts[0]).\(language.rawValue)"] {
      return own.description
    }
    guard let name = parts.first, let parameter = parameters[name] else { return "" }
    guard parts.count == 2 else { return parameter.text(in: language) }
    if parts[1] == "duration", case .number(let seconds) = parameter { return duration(seconds, language) }
    if parts[1] == "grouped" { return parameter.grouped(in: language) }
    if parts[1] == "minute", case .text(let instant) = parameter { return minute(instant) }
    return text("\(parts[1]).\(parameter)", language, parameters) ?? parameter.text(in: language)
  }

  /// An instant in a readable form; any other text is returned as it is.
  private func minute(_ instant: String) -> String {
    guard (try? Instant(text: instant)) != nil else { return instant }
    return "\(instant.prefix(10)) \(instant.dropFirst(11).prefix(5)) UTC"
  }

  /// A duration in words, without units that are zero: `1 hour and 30 minutes`.
  private func duration(_ seconds: Int, _ language: Language) -> String {
    var rest = seconds
    var parts: [String] = []
    for (unit, length) in [("days", 86_400), ("hours", 3600), ("minutes", 60), ("seconds", 1)] {
      let count = rest / length
      rest %= length
      guard count > 0 || seconds == 0 && length == 1 else { continue }
      parts.append(text("duration.\(unit).\(count == 1 ? "one" : "other")", language, ["count": .number(count)]) ?? unit)
    }
    guard parts.count > 1 else { return parts.joined() }
    let others = parts.dropLast().joined(separator: ", ")
    return text("duration.and", language, ["others": .text(others), "last": .text(parts[parts.count - 1])]) ?? others
  }
}

extension Parameter {
  /// The value with the digits before its decimal point in groups of three. Spanish does not group four digits (Unicode CLDR,
  /// `minimumGroupingDigits`).
  fileprivate func grouped(in language: Language) -> String {
    let text = text(in: language)
    let sign = text.prefix { $0 == "-" }
    let digits = text.dropFirst(sign.count).prefix { ("0"..."9").contains($0) }
    guard digits.count >= (language == .spanish ? 5 : 4) else { return text }
    var grouped = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { grouped += language == .spanish ? "." : "," }
      grouped.append(digit)
    }
    return sign + grouped + text.dropFirst(sign.count + digits.count)
  }

  /// The value as it is written in that language.
  fileprivate func text(in language: Language) -> String {
    guard case .decimal = self, language == .spanish else { return description }
    return description.replacing(".", with: ",")
  }
}
