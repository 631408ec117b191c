import NIOHTTP1
import Operations

/// What makes a request malformed: the `reason` in the words of `bad_request`, whose own words are at `reason.<raw value>`.
enum Malformation: String, CaseIterable {
  // Of HTTP
  case oneHost = "one_host"
  /// RFC 9112, section 3.2.
  case host = "host"
  /// RFC 9110, section 5.3: a field that is not a list occurs only once; of two, it is unclear which one counts.
  case oneField = "one_field"
  /// RFC 9112, section 6.3: it is unclear where the next request begins.
  case unclearLength = "unclear_length"
  case requestLine = "request_line"
  case target = "target"
  case headerLine = "header_line"
  case chunk = "chunk"
  case incomplete = "incomplete"
  case afterClose = "after_close"
  case queryEncoding = "query_encoding"
  case queryTooLong = "query_too_long"
  case formEncoding = "form_encoding"
  case fileForm = "file_form"
  // Of JSON-RPC
  case batchEmpty = "batch_empty"
  case batchTooLong = "batch_too_long"
  case notAnObject = "not_an_object"
  case id = "id"
  case unknownMember = "unknown_member"
  case jsonrpc = "jsonrpc"
  case method = "method"
  case params = "params"
  case positional = "positional"
  case ownLine = "own_line"

  /// The failure that reports it.
  func failure(_ parameters: [String: Parameter] = [:]) -> Failure {
    Failure(RequestFailure.badRequest, parameters.merging(["reason": .text(rawValue)]) { _, reason in reason })
  }

  /// What the parser found; what it calls it itself is for its developers.
  ///
  /// - Parameters:
  ///   - isInBody: whether the head had arrived.
  ///   - namesCoding: whether the bytes at fault name a `Transfer-Encoding`, for which the parser has no error of its own.
  init(_ error: HTTPParserError, isInBody: Bool, namesCoding: Bool) {
    switch error {
    case .invalidEOFState: self = .incomplete
    case .closedConnection: self = .afterClose
    case _ where isInBody: self = .chunk
    case .unexpectedContentLength, .invalidContentLength: self = .unclearLength
    case .unknown: self = namesCoding ? .unclearLength : .headerLine
    case .invalidMethod, .invalidURL, .invalidVersion, .invalidConstant: self = .requestLine
    default: self = .headerLine
    }
  }
}
