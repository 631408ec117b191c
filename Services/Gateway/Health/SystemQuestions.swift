import Messaging
import Operations

/// Asks all services the same thing at once, over the bus.
struct SystemQuestions: Sendable {
  /// Everyone but the gateway.
  static let services = ServiceName.allCases.filter { $0 != .gateway }

  let client: GatewayClient
  /// A service that has not answered by then is not ready.
  let seconds: Int

  /// The answers in the order of ``services``; what went wrong instead of one that is missing.
  func ask<O: Operation>(_ operation: O.Type) async -> [(service: ServiceName, answer: Result<O.Output, Failure>)]
  where O.Input == Empty {
    await withTaskGroup(of: (ServiceName, Result<O.Output, Failure>).self) { tasks in
      for service in SystemQuestions.services {
        tasks.addTask {
          do throws(Failure) {
            return (service, .success(try await client.request(operation, Empty(), to: service, seconds: seconds)))
          } catch {
            return (service, .failure(error))
          }
        }
      }
      var answers: [ServiceName: Result<O.Output, Failure>] = [:]
      for await (service, answer) in tasks { answers[service] = answer }
      return SystemQuestions.services.map { ($0, answers[$0] ?? .failure(Failure(RequestFailure.unavailable))) }
    }
  }
}
