import ActivityContract
import Operations
import ServiceKit
import Storage

/// Receives the chunks of a file.
enum ImportUpload {
  /// Writes the new bytes of a chunk to the file.
  ///
  /// - Returns: the range of bytes by which the file grows; empty where the chunk does not continue it.
  static func keep(
    _ input: UploadImportChunk.Input, of account: AccountID, _ spool: ImportSpool, _ limits: ImportLimits, _ call: AccountCall
  ) async throws -> Range<Int> {
    let row = try call.store.lookUp { try ImportStore.find(input.importID, of: account, in: $0) }
    guard row.state == .uploading else { throw ImportFailure.notUploading }
    try await ImportConsent.catchUp(for: row.saidFormat, call)
    try call.store.lookUp { try ImportConsent.require(for: row.saidFormat, of: account, in: $0) }
    let (bytes, received) = (input.content.bytes, row.receivedBytes)
    let end = input.offset + bytes.count
    guard end <= row.totalBytes else {
      throw Failure.field("content", UploadImportChunk.Input.beyondEnd(of: row.totalBytes))
    }
    guard input.offset <= received else { return received..<received }
    do {
      let known = bytes.prefix(received - input.offset)
      guard try await spool.holds(known, at: input.offset, of: row.id, account) else {
        throw Failure.field("content", UploadImportChunk.Input.otherBytes)
      }
    } catch let fault as FileFault where fault.isGone {
      throw try await lost(row, call)
    }
    guard received < end else { return received..<received }
    try call.store.lookUp { try ImportStore.requireRoom(for: end - received, limits, in: $0) }
    do {
      try await spool.write(bytes[(received - input.offset)...], at: received, of: row.id, account)
    } catch let fault as FileFault where fault.isGone {
      throw try await lost(row, call)
    } catch let fault as FileFault where fault.isFull {
      throw ImportFailure.noRoom.with(retryAfterSeconds: 600)
    } catch let fault as FileFault where fault.isReadOnly {
      throw Failure(RequestFailure.storageReadOnly, retryAfterSeconds: 5)
    }
    return received..<end
  }

  /// Ends an import whose received bytes no longer exist, for example after a restored backup.
  private static func lost(_ row: ImportRow, _ call: AccountCall) async throws -> ImportFailure {
    try await call.write { try ImportStore.end(row.id, .failed, $0, because: .lost) }
    return .notUploading
  }

  /// Detects the file's format, and queues the import for reading or refuses it. Without consent the import is not changed: it can be
  /// completed once consent is given.
  static func complete(
    _ id: ImportID, of account: AccountID, _ inspections: ImportInspections, _ spool: ImportSpool, _ call: AccountCall
  ) async throws -> ImportRow {
    var row = try call.store.lookUp { try ImportStore.find(id, of: account, in: $0) }
    if row.state == .uploading, row.format == nil {
      guard row.receivedBytes == row.totalBytes else {
        throw ImportFailure.incomplete.with(["received": .number(row.receivedBytes), "total": .number(row.totalBytes)])
      }
      try await inspections.inspect(row, spool, call.store)
      row = try call.store.lookUp { try ImportStore.find(id, of: account, in: $0) }
    }
    if let failure = row.failure { throw failure }
    guard row.state == .uploading, let format = row.format else {
      // A repeated call.
      guard row.state != .cancelled else { throw ImportFailure.notUploading }
      return row
    }
    try await ImportConsent.catchUp(for: format, call)
    let after = try await call.write { transaction in
      try ImportConsent.require(for: format, of: account, in: transaction.database)
      try ImportStore.accept(id, as: format, transaction)
      return try ImportStore.find(id, of: account, in: transaction.database)
    }
    if let failure = after.failure { throw failure }
    return after
  }
}
