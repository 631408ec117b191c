import Foundation
import Operations
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Calls that name nothing that there is, with an empty body: enough to learn whether who calls is let in.
struct EmptyCall: Sendable {
  let url: String
  let token: String?

  /// What the gateway answers.
  func callAsFunction(_ spec: OperationSpec) async throws -> Outcome {
    let route = try #require(spec.route)
    var request = URLRequest(url: try #require(URL(string: url + EmptyCall.path(route))))
    request.httpMethod = route.method.rawValue
    if route.method != .get, route.method != .delete {
      request.httpBody = Data("{}".utf8)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = try #require(response as? HTTPURLResponse).statusCode
    guard status >= 400 else { return .done }
    guard case .string(let code)? = try JSONTape([UInt8](data)).json["code"] else { return .refused(status, "") }
    return .refused(status, code)
  }

  /// The route's path, filled with names of nothing.
  static func path(_ route: Route) -> String {
    "/"
      + route.path.split(separator: "/").map { segment in
        guard segment.hasPrefix("{") else { return String(segment) }
        return switch segment {
        case "{day}": "today"
        case "{period}": "day"
        case "{offset}": "0"
        case "{username}": "nobody.there"
        default: ID<Never>().description
        }
      }.joined(separator: "/")
  }
}
