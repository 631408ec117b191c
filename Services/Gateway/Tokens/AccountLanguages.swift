import IdentityContract
import Operations
import Synchronization

/// The languages of accounts that were changed lately: answers are in the new one at once, whatever the tokens from before say.
///
/// A change is remembered for as long as tokens from before it may be in use. When more are changed than are to be remembered, all are
/// forgotten: for the rest of their tokens' lives their answers are in the former language.
final class AccountLanguages: Sendable {
  /// For how long: a session's access tokens live no longer, and answers about personal access tokens are remembered for less.
  static let rememberedSeconds = AccessTokenForm.lifetimeSeconds + 60

  private struct Choice {
    let language: Language
    let at: Instant
  }

  private let bound: Int
  private let clock: Clock
  private let choices = Mutex<[AccountID: Choice]>([:])

  /// - Parameter bound: how many are remembered at most.
  init(bound: Int, clock: Clock) {
    self.bound = bound
    self.clock = clock
  }

  /// Notes what language an account had at an instant.
  func note(_ language: Language, of account: AccountID, at instant: Instant) {
    let oldest = clock.now.adding(seconds: -Self.rememberedSeconds)
    guard instant > oldest else { return }
    choices.withLock { choices in
      // It may be published again.
      if let known = choices[account], known.at > instant { return }
      if choices[account] == nil, choices.count >= bound {
        choices = choices.filter { $0.value.at > oldest }
        if choices.count >= bound { choices = [:] }
      }
      choices[account] = Choice(language: language, at: instant)
    }
  }

  /// The language for whom a token speaks: what it says, unless that was changed since.
  func language(of identification: Identification) -> Language {
    choices.withLock { choices in
      guard let choice = choices[identification.account], choice.at >= identification.issuedAt else {
        return identification.language
      }
      return choice.language
    }
  }
}
