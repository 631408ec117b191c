import Foundation
import GeneratedAccounts
import Messaging
import Operations
import ServiceKit
import Synchronization

/// Asks services of a cluster whether they are ready, over their bus.
struct ServiceProbe {
  let bus: ClusterBus

  /// When a service was ready, and what it had caught up with until then.
  struct Readiness {
    let milliseconds: Double
    /// The events that had taken effect; 0 where there was nothing to catch up with.
    let events: Int
  }

  /// How long a service may take without progress.
  private static let patience = Duration.seconds(600)

  /// When each of them was ready; those that make no progress for ten minutes are missing.
  func whenReady(_ services: [ServiceName], since start: ContinuousClock.Instant) async throws -> [ServiceName: Readiness] {
    try await withThrowingTaskGroup(of: (ServiceName, Readiness?).self) { group in
      for service in services {
        group.addTask {
          var done: [String: Int] = [:]
          var advanced = start
          while ContinuousClock.now - advanced < Self.patience {
            let health = await health(of: service)
            if health?.isReady == true {
              let elapsed = (ContinuousClock.now - start).milliseconds
              return (service, Readiness(milliseconds: elapsed, events: done.values.reduce(0, +)))
            }
            let before = done
            for problem in health?.problems ?? [] { done[problem.part] = problem.done ?? done[problem.part] }
            if done != before { advanced = .now }
            try await Task.sleep(for: .milliseconds(5))
          }
          return (service, nil)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// Nil for a service that does not answer, as before it has begun.
  private func health(of service: ServiceName) async -> ReadHealth.Output? {
    do {
      return try await bus.ask(ReadHealth.self, .init(), as: .gateway, to: service, seconds: 1)
    } catch {
      return nil
    }
  }
}

/// A subscriber with an empty store, as far as publishers see it: it reads their snapshots from the first page to the last.
struct SnapshotReader {
  let bus: ClusterBus

  /// Reads the snapshots of all publishers at once until it is cancelled.
  ///
  /// - Returns: how many pages it read.
  func readAgainAndAgain() async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for publisher in [ServiceName.identity, .social, .activity, .rewards] {
        group.addTask {
          var (pages, key): (Int, String?) = (0, nil)
          while !Task.isCancelled {
            key = try await page(of: publisher, after: key)
            pages += 1
          }
          return pages
        }
      }
      return try await group.reduce(0, +)
    }
  }

  /// - Returns: the key of the last; nil after the last page.
  private func page(of publisher: ServiceName, after key: String?) async throws -> String? {
    let header = RequestHeader(
      id: ID<RequestHeader>().description, operation: EventExchange.snapshot.rawValue, caller: .service(.gateway),
      deadline: Instant.now.adding(seconds: 30))
    let body: JSON = if let key { ["after": .string(key)] } else { [:] }
    let reply: Reply
    do {
      reply = try await bus.bus.request(Request(header: header, body: body.bytes), to: publisher)
    } catch {
      // It was cancelled, or waits too long among the calls that are measured: the same page is asked for once more.
      return key
    }
    let tape = try JSONTape(reply.body, limits: JSONLimits(bytes: 16 << 20, depth: 72))
    guard case .string(let next)? = tape.json["nextKey"] else { return nil }
    return next
  }
}

/// Says once, from any thread, that something is over.
final class Flag: Sendable {
  private let raised = Mutex(false)
  var isRaised: Bool { raised.withLock { $0 } }
  func raise() { raised.withLock { $0 = true } }
}
