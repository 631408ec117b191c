import IdentityContract
import Operations
import Synchronization

/// The recently changed languages of accounts: answers use the new language at once, whatever older tokens say.
///
/// A change is remembered for as long as an older token may be in use. When there are more changes than may be remembered, all are
/// forgotten: those accounts then get the former language until their tokens expire.
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

  /// The language of the token's account: the token's, unless it was changed since.
  func language(of identification: Identification) -> Language {
    choices.withLock { choices in
      guard let choice = choices[identification.account], choice.at >= identification.issuedAt else {
        return identification.language
      }
      return choice.language
    }
  }
}
