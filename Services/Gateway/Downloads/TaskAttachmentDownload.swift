import NIOCore
import Operations
import SocialContract

/// Downloads of attached files (TASK-8), at ``TaskAttachmentURL``.
///
/// No file can run as code: a browser saves it (`Content-Disposition: attachment`), does not guess its type (`nosniff`), and would sandbox
/// it without rights if it showed it after all. The file is fetched in chunks, each one after the client has taken the previous one.
struct TaskAttachmentDownloads: Download {
  private static let policy = "sandbox; default-src 'none'"

  let route = DownloadRoute(
    path: "/v1/task-attachments/{attachmentID}/file", name: "taskAttachments.download",
    summary: "Downloads an attached file: never shown by a browser, whatever it is, and always as `application/octet-stream`.",
    mediaType: TaskAttachmentType.unknown.description, requirement: "TASK-8",
    parameters: [
      [
        "name": "attachmentID", "in": "path", "required": true, "description": "Names the attachment.",
        "schema": ["type": "string", "format": "uuid"],
      ]
    ])
  private let details: Endpoint
  private let chunks: Endpoint

  /// Nil where attachments are not served.
  init?(_ endpoints: [String: Endpoint]) {
    guard let details = endpoints[GetTaskAttachment.spec.name], let chunks = endpoints[DownloadTaskAttachmentChunk.spec.name]
    else { return nil }
    self.details = details
    self.chunks = chunks
  }

  func begin(_ parameters: [String: String], _ caller: OperationCaller, _ exchange: inout Exchange) async throws(Failure) -> (
    HTTPAnswer, any DownloadBody
  ) {
    let identification = try await caller.admit(chunks, &exchange)
    let (_, output) = try await caller.call(details, parameters, [], identification, exchange)
    let attachment = try TaskAttachment.decode(output)
    var download = TaskAttachmentDownload(
      id: attachment.id, totalBytes: attachment.totalBytes, endpoint: chunks, caller: caller, identification: identification,
      exchange: exchange)
    // Once the head is out there is no way to say that the file is not there.
    try await download.fetch()
    let disposition = ContentDisposition.attachment(attachment.name.description)
    let answer = HTTPAnswer(
      status: 200, type: route.mediaType, body: ByteBuffer(),
      extra: [
        ResponseField(name: "Content-Disposition", value: disposition),
        ResponseField(name: "Cross-Origin-Resource-Policy", value: "same-origin"),
      ], policy: Self.policy)
    return (answer, download)
  }
}

/// A file that goes out.
struct TaskAttachmentDownload: DownloadBody {
  let id: ID<TaskAttachment>
  let totalBytes: Int
  /// A chunk as bytes, and as the text and the message that it came in.
  let heldBytes = 4 * TaskAttachmentChunk.maxBytes
  fileprivate let endpoint: Endpoint
  fileprivate let caller: OperationCaller
  fileprivate let identification: Identification?
  fileprivate let exchange: Exchange
  /// Up to where it was fetched.
  private var offset = 0
  private var chunk: [UInt8] = []

  fileprivate init(
    id: ID<TaskAttachment>, totalBytes: Int, endpoint: Endpoint, caller: OperationCaller, identification: Identification?,
    exchange: Exchange
  ) {
    self.id = id
    self.totalBytes = totalBytes
    self.endpoint = endpoint
    self.caller = caller
    self.identification = identification
    self.exchange = exchange
  }

  /// Fetches the next chunk.
  fileprivate mutating func fetch() async throws(Failure) {
    let parameters = ["attachmentID": id.description, "offset": String(offset)]
    let (_, output) = try await caller.call(endpoint, parameters, [], identification, exchange)
    chunk = try DownloadTaskAttachmentChunk.Output.decode(output).content.bytes
    guard !chunk.isEmpty, offset + chunk.count <= totalBytes else { throw Failure(RequestFailure.internalError) }
    offset += chunk.count
  }

  mutating func next() async throws(Failure) -> ByteBuffer? {
    if chunk.isEmpty {
      guard offset < totalBytes else { return nil }
      try await fetch()
    }
    defer { chunk = [] }
    return ByteBuffer(bytes: chunk)
  }
}

/// The field that lets a browser save what it gets, under a name (RFC 6266).
enum ContentDisposition {
  /// With the name in UTF-8 (RFC 8187) for those who read that, and without what is not ASCII for others.
  static func attachment(_ name: String) -> String {
    let plain = name.unicodeScalars.map { scalar -> String in
      let isPlain = (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\" && scalar != "%"
      return isPlain ? String(scalar) : "_"
    }.joined()
    return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encode(name))"
  }
}
