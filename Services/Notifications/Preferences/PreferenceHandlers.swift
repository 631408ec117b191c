import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Which notifications reach an account by which channel: read and chosen.
enum PreferenceHandlers {
  private static let words = NotificationText.words

  static func get(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> NotificationPreferences {
    let choices = try PreferenceStore.choices(of: call.account, in: database)
    return NotificationPreferences(items: NotificationCategory.allCases.flatMap { items(of: $0, choices, call) })
  }

  static func update(
    _ input: UpdateNotificationPreferences.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> NotificationPreferences {
    var findings = FieldFindings(input.found)
    for (index, choice) in input.choices.enumerated() where input.found.areRight("choices[\(index)]") {
      if let (field, rule) = PreferenceRules.fault(of: choice) { findings.add("choices[\(index)].\(field)", rule) }
    }
    try findings.end()
    for choice in input.choices {
      guard let topic = choice.topic else { continue }
      try PreferenceStore.choose(.init(topic, choice.channel), choice.isOn, of: call.account, transaction)
    }
    try DailyCheckStore.follow(call.account, transaction)
    return try get(Empty(), call, transaction.database)
  }

  /// A category and its kinds; nothing where there are none.
  private static func items(
    of category: NotificationCategory, _ choices: PreferenceChoices, _ call: AccountCall
  ) -> [NotificationPreference] {
    let kinds = NotificationSpec.all.filter { $0.category == category && !$0.channels.isEmpty }
    guard !kinds.isEmpty else { return [] }
    func item(
      _ topic: PreferenceChoices.Topic, _ kind: String?, _ name: String, _ state: (NotificationChannel) -> NotificationSwitch
    ) -> NotificationPreference {
      NotificationPreference(
        category: category, kind: kind, name: name, inbox: state(.inbox), email: state(.email), push: state(.push),
        chosen: NotificationChannel.allCases.filter { choices.isOn[.init(topic, $0)] != nil })
    }
    let whole = item(.category(category), nil, name(of: category, call.language)) { channel in
      let states = Set(kinds.map { choices.state(of: $0, channel) })
      return [.on, .off, .required].first { states.contains($0) } ?? .unavailable
    }
    return [whole]
      + kinds.map { kind in
        item(.kind(kind.name), kind.name, kind.title(call.language)) { choices.state(of: kind, $0) }
      }
  }

  private static func name(of category: NotificationCategory, _ language: Language) -> String {
    words.text("notificationCategory.\(category.rawValue)", language) ?? category.rawValue
  }
}

extension NotificationSpec {
  /// Its name in lists: a text of its own, or the title of its notification, or the subject of its mail.
  func title(_ language: Language) -> String {
    if let own = NotificationText.words.text("notificationName.\(name)", language) { return own }
    let key = inbox == nil ? "mail.\(mail?.name ?? name).subject" : "notification.\(name).title"
    return NotificationText.words.text(key, language) ?? name
  }
}

extension NotificationChoice {
  fileprivate var topic: PreferenceChoices.Topic? {
    kind.map { .kind(NotificationKind.presentName(of: $0)) } ?? category.map { .category($0) }
  }
}
