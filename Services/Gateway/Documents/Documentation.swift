import GatewayContract
import NIOCore
import Operations
import Synchronization

/// The documents of all operations, made at the first request: a start does not wait for them, and a gateway that is never asked does not
/// hold them.
final class Documentation: Sendable {
  struct Documents: Sendable {
    /// `/openapi.json`.
    let openAPI: ByteBuffer
    /// `/docs`, as HTML.
    let page: ByteBuffer
    /// The page's `Content-Security-Policy`.
    let policy: String
  }

  private let made = Mutex<Task<Documents, Never>?>(nil)
  private let make: @Sendable () -> Documents

  init(_ catalog: Catalog, _ problems: ProblemWriter, version: String) {
    make = {
      let document = OpenAPI.document(catalog, problems: problems, version: version)
      let page = DocsPage(document, codes: Documentation.codes(catalog, problems))
      return Documents(
        openAPI: ByteBuffer(bytes: document.bytes), page: ByteBuffer(bytes: page.html), policy: page.policy)
    }
  }

  var documents: Documents {
    get async {
      let task = made.withLock { made in
        // Detached: no event loop is held up meanwhile.
        let task = made ?? Task.detached { [make] in make() }
        made = task
        return task
      }
      return await task.value
    }
  }

  /// Every code that a client may meet, with its words.
  static func codes(
    _ catalog: Catalog, _ problems: ProblemWriter
  ) -> [(code: String, status: Int, english: String, spanish: String)] {
    var kinds = Set(RequestFailure.allCases.map(\.kind) + GatewayFailure.allCases.map(\.kind))
    for endpoint in catalog.endpoints { kinds.formUnion(endpoint.spec.failures) }
    return kinds.sorted { $0.code < $1.code }.map { kind in
      (kind.code, kind.status, problems.explanation(kind.code, .english), problems.explanation(kind.code, .spanish))
    }
  }
}
