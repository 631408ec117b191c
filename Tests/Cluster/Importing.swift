import ActivityContract
public import Client
import Foundation
import Operations

extension GatewayClient {
  /// Sends a file in chunks and says that it is complete; what fails for a passing reason is repeated.
  ///
  /// - Returns: the import's id, as text.
  public func upload(_ path: String, name: String, withinSeconds seconds: Int = 60) async throws -> String {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    let size = Int(try file.seekToEnd())
    let made = try await callUntilDone(
      CreateImport.self, .init(name: name, totalBytes: size), idempotencyKey: "import-\(ID<Never>())", withinSeconds: seconds)
    var offset = 0
    while offset < size {
      try file.seek(toOffset: UInt64(offset))
      let bytes = [UInt8](try file.read(upToCount: UploadImportChunk.Input.maxBytes) ?? Data())
      offset = try await callUntilDone(
        UploadImportChunk.self, .init(importID: made.id, offset: offset, content: Base64Bytes(bytes)), withinSeconds: seconds
      ).nextOffset
    }
    return try await callUntilDone(CompleteImport.self, .init(importID: made.id), withinSeconds: seconds).id.description
  }
}
