import Operations
import ServiceKit
import SocialContract

/// How much an account may send, and until when a message can be changed (SOC-4).
struct MessageRules: Sendable {
  /// The most bytes of one account's texts and photos together.
  let bytesPerAccount: Int

  init(bytesPerAccount: Int) { self.bytesPerAccount = bytesPerAccount }

  init(_ settings: Settings) {
    bytesPerAccount = settings.int("racha.messages.bytesPerAccount", default: 256 << 20, in: (1 << 20)...(1 << 40))
  }

  /// - Parameters:
  ///   - stored: the bytes of the account's stored messages.
  ///   - added: the additional bytes; a change that frees space is always allowed.
  /// - Throws: `message_space_full`.
  func checkSpace(stored: Int, adding added: Int) throws(Failure) {
    guard added <= 0 || stored + added <= bytesPerAccount else {
      throw MessageFailure.spaceFull.with(["max": .number(bytesPerAccount >> 20)])
    }
  }

  /// Whether a message can have another text.
  static func checkEdit(_ message: ChatMessage, at now: Instant) throws(MessageFailure) {
    guard message.removedAt == nil else { throw .removed }
    guard isNew(message, at: now) else { throw .tooOld }
  }

  /// Whether there is anything to remove.
  ///
  /// - Throws: `message_too_old`.
  static func removal(_ message: ChatMessage, at now: Instant) throws(MessageFailure) -> Bool {
    if message.removedAt != nil { return false }
    guard isNew(message, at: now) else { throw .tooOld }
    return true
  }

  private static func isNew(_ message: ChatMessage, at now: Instant) -> Bool {
    now < message.sentAt.adding(seconds: MessageChange.seconds)
  }
}
