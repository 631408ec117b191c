import NIOCore
import Operations

/// Something larger than other answers that logged-in clients fetch: its body goes out in chunks, the next one of which is fetched when the
/// client has taken the former.
///
/// A new one is its file and one line in ``Downloads/all(_:)``: its route and its part of the OpenAPI document follow.
protocol Download: Sendable {
  /// Where it is asked for, by GET and HEAD.
  var route: DownloadRoute { get }

  /// The head of an answer, and what its body is read from.
  ///
  /// - Parameter parameters: those of the path.
  func begin(_ parameters: [String: String], _ caller: OperationCaller, _ exchange: inout Exchange) async throws(Failure) -> (
    HTTPAnswer, any DownloadBody
  )
}

/// A body that goes out.
protocol DownloadBody: Sendable {
  /// How long the whole of it is.
  var totalBytes: Int { get }
  /// How much memory it takes while it goes out.
  var heldBytes: Int { get }

  /// The next chunk; nil after the last.
  ///
  /// - Throws: where the download breaks off; the connection then ends, so that the client does not take the file for complete.
  mutating func next() async throws(Failure) -> ByteBuffer?
}

/// Where a download is, and how the OpenAPI document describes it.
struct DownloadRoute: Sendable {
  let path: String
  /// The document's name of it.
  let name: String
  let summary: String
  let mediaType: String
  let requirement: String
  /// Parameters of the path, as the document has them.
  let parameters: JSON
}

/// All downloads.
enum Downloads {
  /// Those whose operations are all served.
  ///
  /// - Parameter endpoints: by the names of their operations.
  static func all(_ endpoints: [String: Endpoint]) -> [any Download] {
    let all: [(any Download)?] = [TaskAttachmentDownloads(endpoints)]
    return all.compactMap { $0 }
  }
}
