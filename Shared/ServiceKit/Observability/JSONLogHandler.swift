public import Logging
public import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes each log message as one line of JSON on standard error: constant message, values as members.
///
///     {"at":"2026-11-21T08:43:00.000Z","level":"info","service":"social","message":"ready","requestID":"…"}
public struct JSONLogHandler: LogHandler {
  public var logLevel: Logger.Level
  public var metadata: Logger.Metadata = [:]
  public var metadataProvider: Logger.MetadataProvider?
  private let service: String

  public init(service: ServiceName, level: Logger.Level) {
    self.service = service.rawValue
    logLevel = level
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var line: [JSON.Member] = [
      .init(name: "at", value: .string(Instant.now.description)), .init(name: "level", value: .string(event.level.rawValue)),
      .init(name: "service", value: .string(service)), .init(name: "message", value: .string(event.message.description)),
    ]
    var values = metadata
    if let provided = metadataProvider?.get() { values.merge(provided) { _, new in new } }
    if let own = event.metadata { values.merge(own) { _, new in new } }
    if let error = event.error { values["error"] = "\(error)" }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      line.append(.init(name: key, value: JSONLogHandler.json(value)))
    }
    var bytes = JSON.object(line).bytes
    bytes.append(UInt8(ascii: "\n"))
    // One call per line keeps lines of several threads whole. If standard error is gone, that cannot be reported.
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static func json(_ value: Logger.MetadataValue) -> JSON {
    switch value {
    case .string(let text): .string(text)
    case .stringConvertible(let value): .string(value.description)
    case .array(let values): .array(values.map(json))
    case .dictionary(let values): .object(values.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: json($0.value)) })
    }
  }
}
