import InProcess
import Operations
import ServiceKit

@testable import NotificationsService

/// A carrier whose every journey a test watches and decides.
struct WatchedCarrier: MailCarrier {
  struct Journey: Sendable {
    let letter: Letter
    let failure: MailFailure?
  }

  let journeys: AsyncStream<Journey>
  private let journey: AsyncStream<Journey>.Continuation
  private let body: @Sendable (Letter) async throws(MailFailure) -> Void

  init(_ body: @escaping @Sendable (Letter) async throws(MailFailure) -> Void = { _ in }) {
    self.body = body
    (journeys, journey) = AsyncStream.makeStream()
  }

  func carry(_ letter: Letter) async throws(MailFailure) {
    do throws(MailFailure) {
      try await body(letter)
      journey.yield(Journey(letter: letter, failure: nil))
    } catch {
      journey.yield(Journey(letter: letter, failure: error))
      throw error
    }
  }

  /// The test was given up before so many journeys were made.
  struct TooFew: Error {
    let count: Int
  }

  /// The next so many journeys.
  func next(_ count: Int) async throws -> [Journey] {
    var result: [Journey] = []
    for await journey in journeys {
      result.append(journey)
      if result.count == count { return result }
    }
    throw TooFew(count: result.count)
  }
}

extension ServicesInProcess {
  /// Runs notifications with that carrier, and accounts that identity knows.
  static func mails(
    _ identity: IdentityDouble, _ carrier: any MailCarrier, and others: [Build] = [], home: String? = nil,
    settings: [String: String] = [:],
    retry: MailRetry = MailRetry(firstDelayMilliseconds: 1, growth: 2, longestDelayMilliseconds: 10, maxAttempts: 5),
    _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    let build: ServicesInProcess.Build = { environment in
      var mails = MailSettings(environment.settings, environment.home)
      mails.retry = retry
      return try Notifications.service(environment, mails, carrier)
    }
    try await running([build] + others, identity: identity, settings: settings, at: nil, home: home, body)
  }
}
