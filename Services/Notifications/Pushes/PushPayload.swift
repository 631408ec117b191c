import Foundation
import NotificationsContract
import Operations

/// What is pushed, in the declarative form of W3C's Push API (`"web_push": 8030`): browsers that know it show it without the app's help,
/// also when that is closed; workers and apps find the same in it.
struct PushPayload: Hashable, Sendable {
  /// All of it, encrypted, has room in what every push service takes.
  static let maxBytes = 3000
  private static let maxTitleBytes = 300

  var title: String
  var text: String
  let language: Language
  /// Identifies the shown notification that it replaces.
  let tag: String
  /// Where it leads to.
  let page: String
  let at: Instant
  let delivery: ID<NotificationDelivery>
  let notification: ID<NotificationsContract.Notification>?
  let kind: String
  /// Whether it takes the place of another without a sound.
  var isSilent = false
  /// What can be answered where it is shown; nil for most.
  var answers: Answers?

  /// Buttons beside what is shown. Browsers open their pages; workers and apps may answer by the token themselves.
  struct Answers: Hashable, Sendable {
    struct Choice: Hashable, Sendable {
      let name: String
      let title: String
      let page: String
    }

    let token: String
    let choices: [Choice]
  }

  /// As JSON of fewer than ``maxBytes``: what is too long of the text is left out.
  var bytes: [UInt8] {
    var payload = self
    payload.title = Self.shortened(title, toBytes: Self.maxTitleBytes)
    var room = Self.maxBytes
    while true {
      payload.text = Self.shortened(text, toBytes: room)
      let bytes = payload.json.bytes
      if bytes.count < Self.maxBytes || room == 0 { return bytes }
      // Some characters take more room in JSON.
      room = max(0, min(room, payload.text.utf8.count) - (bytes.count - Self.maxBytes + 1))
    }
  }

  private var json: JSON {
    var data: JSON = ["deliveryID": .string(delivery.description), "kind": .string(kind)]
    if let notification, case .object(let members) = data {
      data = .object(members + [.init(name: "notificationID", value: .string(notification.description))])
    }
    if let answers, case .object(let members) = data {
      data = .object(members + [.init(name: "reminderToken", value: .string(answers.token))])
    }
    var shown: JSON = [
      "title": .string(title), "body": .string(text), "navigate": .string("\(page)#delivery=\(delivery)"),
      "lang": .string(language.rawValue), "dir": "auto", "tag": .string(tag), "timestamp": .integer(Int(at.milliseconds)),
      "data": data,
    ]
    if let answers, case .object(let members) = shown {
      let actions = answers.choices.map { choice -> JSON in
        ["action": .string(choice.name), "title": .string(choice.title), "navigate": .string(choice.page)]
      }
      shown = .object(members + [.init(name: "actions", value: .array(actions))])
    }
    if isSilent, case .object(let members) = shown { shown = .object(members + [.init(name: "silent", value: true)]) }
    return ["web_push": 8030, "notification": shown]
  }

  /// The beginning of a text, whole characters, with an ellipsis where something is left out.
  static func shortened(_ text: String, toBytes count: Int) -> String {
    guard text.utf8.count > count else { return text }
    var (kept, bytes) = ("", 3)
    for character in text {
      bytes += String(character).utf8.count
      guard bytes <= count else { break }
      kept.append(character)
    }
    return kept.isEmpty ? "" : kept + "…"
  }
}
