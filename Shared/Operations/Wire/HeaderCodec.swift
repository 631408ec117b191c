// Every request of the system passes here four times: the headers of request and reply are each written and read. The readers below accept
// the documents that our own writers make. Anything that looks different in any way (an escape, a null, a character beyond ASCII, a field
// missing, unknown or of another type) goes to the strict decoder, which alone refuses. So both accept the same documents and report the
// same faults; a test compares them.

extension JSONLimits {
  /// Headers are small; the largest part is the client's path and query parameters.
  public static let header = JSONLimits(bytes: 64 << 10, depth: 8)
}

extension RequestHeader {
  /// The header as it travels: the same bytes as ``Document/json``.
  public var wire: [UInt8] {
    var writer = JSONWriter()
    writer.reserve(320)
    writer.raw(#"{"id":"#)
    writer.string(id)
    writer.raw(#","operation":"#)
    writer.string(operation)
    writer.raw(#","caller":"#)
    caller.write(to: &writer)
    writer.raw(#","deadline":"#)
    writer.string(deadline.description)
    writer.optional(#","idempotencyKey":"#, idempotencyKey)
    writer.optional(#","traceparent":"#, traceparent)
    if let parameters {
      writer.raw(#","parameters":{"#)
      for (index, (name, value)) in parameters.enumerated() {
        if index > 0 { writer.byte(",") }
        writer.string(name)
        writer.byte(":")
        writer.string(value)
      }
      writer.byte("}")
    }
    if let leftMilliseconds { writer.number(#","leftMilliseconds":"#, leftMilliseconds) }
    if let sentMilliseconds { writer.number(#","sentMilliseconds":"#, sentMilliseconds) }
    writer.byte("}")
    return writer.bytes
  }

  /// Adds the time left and the time of sending to a header that was written without them: a request may wait long between writing and
  /// sending.
  public static func stamp(_ wire: [UInt8], left: Int64, sent: Int64) -> [UInt8] {
    var writer = JSONWriter()
    writer.reserve(wire.count + 80)
    writer.json(wire.dropLast())
    writer.number(#","leftMilliseconds":"#, min(max(left, 0), Int64(longestMilliseconds)))
    writer.number(#","sentMilliseconds":"#, max(sent, 0))
    writer.byte("}")
    return writer.bytes
  }

  /// Reads a header strictly, as ``Document/decode(_:parameters:limits:)`` with the limits of a header.
  public init(wire bytes: [UInt8]) throws(Failure) {
    if let header = RequestHeader(plain: bytes) {
      self = header
    } else {
      self = try RequestHeader.decode(bytes, limits: .header)
    }
  }

  private init?(plain bytes: [UInt8]) {
    // The strict decoder refuses invalid JSON, and says why.
    guard let tape = try? JSONTape(bytes, limits: .header), tape.kind == .object else { return nil }
    var (id, operation, caller, deadline) = (String?.none, String?.none, Caller?.none, Instant?.none)
    var (key, traceparent, parameters) = (String?.none, String?.none, [String: String]?.none)
    var (left, sent) = (Int?.none, Int?.none)
    let isPlain = tape.plainMembers(of: 0) { name, value in
      switch name {
      case "id": id = tape.plainText(value, length: 1...128)
      case "operation": operation = tape.plainText(value, length: 1...128)
      case "caller": caller = Caller(plain: tape, value)
      case "deadline": deadline = tape.plainText(value).flatMap { try? Instant(text: $0) }
      case "idempotencyKey":
        key = tape.plainText(value, length: 1...255)
        return key != nil
      case "traceparent":
        traceparent = tape.plainText(value, length: 1...128)
        return traceparent != nil
      case "parameters":
        parameters = tape.plainTexts(value)
        return parameters != nil
      case "leftMilliseconds":
        left = tape.integer(value)
        return left.map { (0...RequestHeader.longestMilliseconds).contains($0) } ?? false
      case "sentMilliseconds":
        sent = tape.integer(value)
        return sent.map { (0...9_000_000_000_000_000).contains($0) } ?? false
      default: return false
      }
      return true
    }
    guard isPlain, let id, let operation, let caller, let deadline else { return nil }
    self.init(
      id: id, operation: operation, caller: caller, deadline: deadline, idempotencyKey: key, traceparent: traceparent,
      parameters: parameters, leftMilliseconds: left, sentMilliseconds: sent)
  }
}

extension Caller {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.raw(#"{"kind":"#)
    writer.string(kind.rawValue)
    writer.optional(#","account":"#, account?.description)
    writer.optional(#","session":"#, session?.description)
    writer.raw(isVerified ? #","isVerified":true"# : #","isVerified":false"#)
    writer.raw(isAdministrator ? #","isAdministrator":true"# : #","isAdministrator":false"#)
    if let isInDoubt { writer.raw(isInDoubt ? #","isInDoubt":true"# : #","isInDoubt":false"#) }
    writer.optional(#","service":"#, service?.rawValue)
    writer.raw(#","language":"#)
    writer.string(language.rawValue)
    writer.optional(#","address":"#, address)
    writer.optional(#","userAgent":"#, userAgent)
    writer.byte("}")
  }

  fileprivate init?(plain tape: JSONTape, _ node: Int) {
    guard tape.nodes[node].kind == .object else { return nil }
    var (kind, language) = (Kind?.none, Language?.none)
    var (isVerified, isAdministrator, isInDoubt) = (Bool?.none, Bool?.none, Bool?.none)
    var (account, session, service) = (AccountID?.none, SessionID?.none, ServiceName?.none)
    var (address, userAgent) = (String?.none, String?.none)
    let isPlain = tape.plainMembers(of: node) { name, value in
      switch name {
      case "kind": kind = tape.plainText(value).flatMap(Kind.init(rawValue:))
      case "language": language = tape.plainText(value).flatMap(Language.init(rawValue:))
      case "isVerified": isVerified = tape.bool(value)
      case "isAdministrator": isAdministrator = tape.bool(value)
      case "isInDoubt":
        isInDoubt = tape.bool(value)
        return isInDoubt != nil
      case "account":
        account = tape.plainText(value).flatMap { try? AccountID(text: $0) }
        return account != nil
      case "session":
        session = tape.plainText(value).flatMap { try? SessionID(text: $0) }
        return session != nil
      case "service":
        service = tape.plainText(value).flatMap(ServiceName.init(rawValue:))
        return service != nil
      case "address":
        address = tape.plainText(value)
        return address != nil
      case "userAgent":
        userAgent = tape.plainText(value)
        return userAgent != nil
      default: return false
      }
      return true
    }
    guard isPlain, let kind, let language, let isVerified, let isAdministrator else { return nil }
    self.init(
      kind: kind, account: account, session: session, isVerified: isVerified, isAdministrator: isAdministrator,
      isInDoubt: isInDoubt, service: service,
      language: language, address: address, userAgent: userAgent)
  }
}

extension ReplyHeader {
  /// The header as it travels: the same bytes as ``Document/json``.
  public var wire: [UInt8] {
    var writer = JSONWriter()
    writer.reserve(80)
    writer.raw(#"{"id":"#)
    writer.string(id)
    writer.raw(#","status":"#)
    writer.integer(status)
    if let wasBegun { writer.raw(wasBegun ? #","wasBegun":true"# : #","wasBegun":false"#) }
    writer.byte("}")
    return writer.bytes
  }

  /// Reads a header strictly, as ``Document/decode(_:parameters:limits:)`` with the limits of a header.
  public init(wire bytes: [UInt8]) throws(Failure) {
    if let header = ReplyHeader(plain: bytes) {
      self = header
    } else {
      self = try ReplyHeader.decode(bytes, limits: .header)
    }
  }

  private init?(plain bytes: [UInt8]) {
    guard let tape = try? JSONTape(bytes, limits: .header), tape.kind == .object else { return nil }
    var (id, status, wasBegun) = (String?.none, Int?.none, Bool?.none)
    let isPlain = tape.plainMembers(of: 0) { name, value in
      switch name {
      case "id": id = tape.plainText(value)
      case "status": status = tape.integer(value)
      case "wasBegun":
        wasBegun = tape.bool(value)
        return wasBegun != nil
      default: return false
      }
      return true
    }
    guard isPlain, let id, let status else { return nil }
    self.init(id: id, status: status, wasBegun: wasBegun)
  }
}

extension JSONWriter {
  fileprivate mutating func number(_ name: StaticString, _ value: some BinaryInteger) {
    raw(name)
    integer(value)
  }

  fileprivate mutating func optional(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    raw(name)
    string(text)
  }
}

extension JSONTape {
  /// Calls the body for each member until it returns false. False then, and if a name has escapes.
  fileprivate func plainMembers(of object: Int, _ body: (String, Int) -> Bool) -> Bool {
    var index = object + 1
    for _ in 0..<nodes[object].count {
      guard nodes[index].kind == .string, body(string(index), index + 1) else { return false }
      index = Int(nodes[index + 1].next)
    }
    return true
  }

  /// The text of a string of printable ASCII without escapes and of that length, or nil.
  fileprivate func plainText(_ index: Int, length: ClosedRange<Int>? = nil) -> String? {
    let node = nodes[index]
    guard node.kind == .string else { return nil }
    return bytes.withUnsafeBufferPointer { buffer in
      let text = UnsafeBufferPointer(rebasing: buffer[Int(node.start)..<Int(node.end)])
      if let length, !length.contains(text.count) { return nil }
      guard text.allSatisfy({ $0 < 0x7F }) else { return nil }
      return String(decoding: text, as: UTF8.self)
    }
  }

  fileprivate func plainTexts(_ index: Int) -> [String: String]? {
    guard nodes[index].kind == .object else { return nil }
    var texts: [String: String] = [:]
    let isPlain = plainMembers(of: index) { name, value in
      texts[name] = plainText(value)
      return texts[name] != nil
    }
    return isPlain ? texts : nil
  }
}
