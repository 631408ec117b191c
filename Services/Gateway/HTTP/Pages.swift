import HTTPTypes
import NIOCore
import Operations

/// What the gateway answers itself.
struct Pages: Sendable {
  let version: String

  func answer(_ page: Page, _ exchange: inout Exchange) async throws(Failure) -> HTTPAnswer {
    switch page {
    case .livez: .json(200, (["status": "ok", "version": .string(version)] as JSON).bytes)
    default: throw Failure(RequestFailure.notFound)
    }
  }
}
