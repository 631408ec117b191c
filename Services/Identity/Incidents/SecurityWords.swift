import IdentityContract
import Operations

/// What administrators read of incidents and reports. A test sees to it that every language has the words.
enum SecurityWords {
  static func title(_ pattern: IncidentPattern, _ language: Language) -> String {
    text("incident.\(pattern.rawValue).title", language)
  }

  static func recommendation(_ pattern: IncidentPattern, _ language: Language) -> String {
    text("incident.\(pattern.rawValue).recommendation", language)
  }

  /// The same for the administrator who was dismissed.
  static func ownRecommendation(_ pattern: IncidentPattern, _ language: Language) -> String {
    text("incident.\(pattern.rawValue).ownRecommendation", language)
  }

  static func severity(_ severity: SecuritySeverity, _ language: Language) -> String {
    text("severity.\(severity.rawValue)", language)
  }

  /// What happened, as the beginning of a line with a number; a kind of an older version of the program stands for itself.
  static func events(_ kind: String, _ language: Language) -> String {
    SessionWords.words.text("securityEvent.\(kind)", language) ?? kind
  }

  static func text(_ key: String, _ language: Language, _ parameters: [String: Parameter] = [:]) -> String {
    SessionWords.words.text(key, language, parameters) ?? key
  }
}
