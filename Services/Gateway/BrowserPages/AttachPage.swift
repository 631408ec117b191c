import GatewayContract
import NIOCore
import Operations
import SocialContract

/// `/attach` (TASK-8, UC17): a form for a task's token and a file, for any browser, without login and without a script. The file is passed
/// on as it arrives.
struct AttachPage: UploadPage {
  static let path = "/attach"

  private let limits: GatewayConfiguration.Limits
  private let slots: UploadSlots

  init(_ limits: GatewayConfiguration.Limits) {
    self.limits = limits
    slots = UploadSlots(max: limits.uploads, maxPerAddress: limits.uploadsPerAddress)
  }

  var uploadPath: String { Self.path }

  let operations: [any Operation.Type] = [
    CreateTaskAttachmentByToken.self, UploadTaskAttachmentChunkByToken.self, CompleteTaskAttachmentByToken.self,
    CancelTaskAttachmentByToken.self,
  ]

  let routes = [
    PageRoute(
      .get, path, "attachPage", "Page on which anyone with a task's token attaches a file to the task.",
      requirement: "TASK-8"),
    PageRoute(
      .post, path, "attachForm", "Submits the page's form, with the token before the file; always answers with a page.",
      requirement: "TASK-8",
      form: [
        "type": "object", "required": ["token", "file"],
        "properties": ["token": ["type": "string"], "file": ["type": "string", "format": "binary"]],
      ], hasFile: true),
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    try await request.admit(.read)
    return .page(form(nil, request))
  }

  func answer(_ request: inout PageRequest, _ body: RequestBodyStream) async throws(Failure) -> PageAnswer {
    // Whoever tries tokens is slowed down.
    try await request.admit(.sensitive)
    try request.exchange.given.checkContentCoding()
    let address = request.exchange.address
    guard slots.take(address) else { throw HTTPConnectionLimits.noRoom }
    defer { slots.give(address) }
    var upload = try AttachUpload(contentType: request.exchange.given.contentType, limits)
    do throws(Failure) {
      while let part = try await body.next() { try await upload.read(Array(part.readableBytesView), request) }
      request.note(upload.fields)
      return .page(attached(try await upload.complete(request), request))
    } catch {
      request.note(upload.fields)
      await upload.cancel(request)
      throw error.code == RequestFailure.bodyTooLarge.rawValue ? upload.tooLarge : error
    }
  }

  // MARK: - Pages

  private func attached(_ file: CompleteTaskAttachmentByToken.Output, _ request: PageRequest) -> PageContent {
    PageContent(
      title: request.text("page.attach.done.title"),
      """
      <p>\(request.text("page.attach.done.text", ["name": .text(file.name.description)]))</p>
      <p><a href="attach">\(request.text("page.attach.another"))</a></p>
      """)
  }

  /// The form again, with what was wrong; the file is to be chosen anew, as browsers have it.
  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent { form(problem, request) }

  private func form(_ problem: Problem?, _ request: PageRequest) -> PageContent {
    let alert: HTML = problem.map { PageContent.alert($0) } ?? ""
    let token = request.fields?["token"].map { $0.beginning(maxBytes: 100) } ?? ""
    return PageContent(
      status: problem?.status ?? 200,
      title: request.text(problem == nil ? "page.attach.title" : "page.attach.refused.title"),
      """
      \(alert)
      <p>\(request.text("page.attach.text", ["max": .text(Self.size(limits.attachmentBytes))]))</p>
      <form method="post" action="attach" enctype="multipart/form-data">
      <label>\(request.text("page.attach.token"))
      <input type="text" name="token" value="\(token)" autocomplete="off" autocapitalize="characters" spellcheck="false" required></label>
      <label>\(request.text("page.attach.file"))
      <input type="file" name="file" required></label>
      <button type="submit">\(request.text("page.attach.button"))</button>
      </form>
      """)
  }

  /// As people read it, the same in both languages.
  static func size(_ bytes: Int) -> String {
    bytes % (1 << 20) == 0 ? "\(bytes >> 20) MB" : bytes % 1024 == 0 ? "\(bytes >> 10) KB" : "\(bytes) bytes"
  }
}

/// A form with a file while it arrives: the token is read, the file is passed on in chunks.
struct AttachUpload {
  /// The refusal of a form that is not the one this page sends.
  private static let broken = Malformation.fileForm.failure()

  private let limits: GatewayConfiguration.Limits
  private var parser: MultipartParser
  private var part: MultipartHead?
  /// The content of a part that is no file.
  private var field: [UInt8] = []
  /// The fields that were read.
  private(set) var fields: [String: String] = [:]
  /// The file, once it has begun.
  private var attachment: ID<TaskAttachment>?
  /// Whether the part that is being read is that file.
  private var isPassing = false
  private var offset = 0
  /// What has arrived of the file and was not passed on.
  private var chunk: [UInt8] = []
  private var passedAt = ContinuousClock.now

  /// The longest time that received bytes wait for a full chunk before they are passed on. Social gives up an upload that stays idle for
  /// several times as long.
  private static let passing = Duration.seconds(10)

  /// - Throws: `file_form_required` where the content type is not that of a file form.
  init(contentType: String?, _ limits: GatewayConfiguration.Limits) throws(Failure) {
    self.limits = limits
    do throws(MultipartParser.Fault) {
      parser = try MultipartParser(contentType: contentType, MultipartLimits(fileBytes: limits.attachmentBytes))
    } catch {
      throw Failure(GatewayFailure.fileFormRequired)
    }
  }

  /// Takes what has arrived.
  mutating func read(_ bytes: [UInt8], _ request: PageRequest) async throws(Failure) {
    let events: [MultipartParser.Event]
    do throws(MultipartParser.Fault) { events = try parser.read(bytes) } catch { throw failure(error) }
    for event in events {
      switch event {
      case .part(let head): try await begin(head, request)
      case .bytes(let content): try await take(content, request)
      case .partEnd: try await endPart(request)
      }
    }
  }

  private mutating func begin(_ head: MultipartHead, _ request: PageRequest) async throws(Failure) {
    part = head
    field = []
    // A browser sends an empty name where no file was chosen.
    guard head.name == "file", let name = head.fileName, !name.isEmpty else { return }
    guard attachment == nil else { throw Self.broken }
    attachment = try await request.callAsGateway(
      CreateTaskAttachmentByToken.self,
      .init(
        token: fields["token", default: ""].beginning(maxBytes: 100), name: .cleaned(name),
        mediaType: .cleaned(head.mediaType ?? ""))
    ).attachmentID
    isPassing = true
  }

  private mutating func take(_ content: [UInt8], _ request: PageRequest) async throws(Failure) {
    guard part?.fileName != nil else {
      field += content
      return
    }
    guard isPassing else { return }
    chunk += content
    while chunk.count >= TaskAttachmentChunk.maxBytes { try await pass(TaskAttachmentChunk.maxBytes, request) }
    if ContinuousClock.now - passedAt > Self.passing { try await pass(chunk.count, request) }
  }

  private mutating func endPart(_ request: PageRequest) async throws(Failure) {
    guard let part else { return }
    self.part = nil
    guard part.fileName == nil else {
      try await pass(chunk.count, request)
      isPassing = false
      return
    }
    guard let text = String(validating: field, as: UTF8.self) else { throw Self.broken }
    guard fields.updateValue(text, forKey: part.name) == nil else {
      throw Failure.field("token", FieldRule("repeated", ["name": .text("token")]))
    }
    try Query.checkCharacters([part.name.beginning(maxBytes: FieldProblem.maxNameBytes): text])
  }

  /// Passes the beginning of what has arrived on.
  private mutating func pass(_ count: Int, _ request: PageRequest) async throws(Failure) {
    guard let attachment, count > 0 else { return }
    let progress = try await request.callAsGateway(
      UploadTaskAttachmentChunkByToken.self,
      .init(attachmentID: attachment, offset: offset, content: Base64Bytes(Array(chunk[..<count]))), seconds: 30)
    offset += count
    chunk.removeFirst(count)
    passedAt = .now
    guard progress.nextOffset == offset else { throw Failure(RequestFailure.unavailable, retryAfterSeconds: 5) }
  }

  /// Attaches the file once all of it has arrived.
  ///
  /// - Throws: `file_required` where the form held no file.
  func complete(_ request: PageRequest) async throws(Failure) -> CompleteTaskAttachmentByToken.Output {
    do throws(MultipartParser.Fault) { try parser.end() } catch { throw failure(error) }
    guard let attachment else { throw Failure(GatewayFailure.fileRequired) }
    return try await request.callAsGateway(CompleteTaskAttachmentByToken.self, .init(attachmentID: attachment), seconds: 30)
  }

  /// Cancels the upload. If the call fails, the upload expires by itself.
  func cancel(_ request: PageRequest) async {
    guard let attachment else { return }
    do throws(Failure) {
      _ = try await request.callAsGateway(CancelTaskAttachmentByToken.self, .init(attachmentID: attachment))
    } catch {
      // The upload is abandoned, and expires after a while.
    }
  }

  /// That the file is larger than one may be, and so what is sent.
  var tooLarge: Failure {
    TaskAttachmentFailure.tooLarge.with(["max": .text(AttachPage.size(limits.attachmentBytes))])
  }

  private func failure(_ fault: MultipartParser.Fault) -> Failure {
    switch fault {
    case .fileTooLarge: tooLarge
    case .noBoundary: Failure(GatewayFailure.fileFormRequired)
    case .malformed, .unfinished, .tooManyParts, .headTooLarge, .fieldTooLarge: Self.broken
    }
  }
}
