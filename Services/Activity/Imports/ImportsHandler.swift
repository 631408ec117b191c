import ActivityContract
import ImportFormats
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves imports, and reads their files.
  mutating func serveImports(
    _ calendars: AccountCalendars, _ rules: FairnessRules, _ spool: ImportSpool, _ cleanup: ImportSignal,
    _ environment: ServiceEnvironment
  ) {
    let limits = ImportLimits(environment.settings)
    let signal = ImportSignal()
    run { ImportRunner(store: $0, spool: spool, calendars: calendars, rules: rules, signal: signal, pulse: $1) }
    run { ImportHousekeeping(store: $0, spool: spool) }
    run { ImportSweeping(housekeeping: ImportHousekeeping(store: $0, spool: spool), signal: cleanup) }

    serve(
      CreateImport.self,
      prepare: { input, call in
        try await calendars.prepare(input, call)
        try await ImportConsent.catchUp(for: input.format, call)
      }
    ) { input, _, call, transaction in
      let account = try call.account
      try ImportConsent.require(for: input.format, of: account, in: transaction.database)
      return try Imports.create(input, of: account, limits, transaction).shown(call.language)
    }

    let arrivals = ImportArrivals()
    let inspections = ImportInspections()
    serve(UploadImportChunk.self) { input, call in
      let account = try call.account
      let row = try await arrivals.alone(input.importID) {
        let chunk = try await ImportUpload.keep(input, of: account, spool, limits, call)
        return try await call.write { transaction in
          let row = try Imports.note(
            received: chunk.upperBound, after: chunk.lowerBound, of: input.importID, account, transaction)
          try ImportConsent.require(for: row.saidFormat, of: account, in: transaction.database)
          return row
        }
      }
      if let row { return .init(nextOffset: row.receivedBytes, totalBytes: row.totalBytes) }
      // Nobody has looked yet whether this one holds what has arrived meanwhile: it is to be sent again.
      let now = try call.store.lookUp { try Imports.find(input.importID, of: account, in: $0) }
      return .init(nextOffset: min(input.offset, now.receivedBytes), totalBytes: now.totalBytes)
    }

    serve(CompleteImport.self) { input, call in
      let row = try await ImportUpload.complete(input.importID, of: call.account, inspections, spool, call)
      signal()
      return row.shown(call.language)
    }

    serve(GetImport.self) { input, call, database in
      try Imports.find(input.importID, of: call.account, in: database).shown(call.language)
    }

    serve(ListImports.self) { input, call, database in
      try Imports.list(of: call.account, call.page(input), call.language, in: database)
    }

    serve(ListImportProblems.self) { input, call, database in
      let row = try Imports.find(input.importID, of: call.account, in: database)
      return try Imports.problems(of: row.id, call.page(input), call.language, in: database)
    }

    serve(ListImportedExercises.self) { input, call, database in
      let row = try Imports.find(input.importID, of: call.account, in: database)
      return try Imports.exercises(of: row.id, call.page(input), in: database)
    }

    serve(
      CancelImport.self,
      write: { input, call, transaction in
        let account = try call.account
        let row = try Imports.find(input.importID, of: account, in: transaction.database)
        try Imports.end(row.id, .cancelled, transaction)
        return try Imports.find(row.id, of: account, in: transaction.database).shown(call.language)
      },
      // Whoever is reading it has it open, and stops before the next batch.
      afterwards: { input, call in try await spool.remove(input.importID, of: call.account) })
  }
}

/// The arrival of a file.
enum ImportUpload {
  /// Writes what a chunk adds to the file.
  ///
  /// - Returns: the bytes by which the file grows; none where the chunk does not continue it.
  static func keep(
    _ input: UploadImportChunk.Input, of account: AccountID, _ spool: ImportSpool, _ limits: ImportLimits, _ call: Call
  ) async throws -> Range<Int> {
    let row = try call.store.lookUp { try Imports.find(input.importID, of: account, in: $0) }
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
    } catch let fault as ImportSpool.Fault where fault.isGone {
      throw try await lost(row, call)
    }
    guard received < end else { return received..<received }
    try call.store.lookUp { try Imports.requireRoom(for: end - received, limits, in: $0) }
    do {
      try await spool.write(bytes[(received - input.offset)...], at: received, of: row.id, account)
    } catch let fault as ImportSpool.Fault where fault.isGone {
      throw try await lost(row, call)
    } catch let fault as ImportSpool.Fault where fault.isFull {
      throw ImportFailure.noRoom.with(retryAfterSeconds: 600)
    } catch let fault as ImportSpool.Fault where fault.isReadOnly {
      throw Failure(RequestFailure.storageReadOnly, retryAfterSeconds: 5)
    }
    return received..<end
  }

  /// Ends an import of which what had arrived is no longer there, as after a restored backup.
  private static func lost(_ row: ImportRow, _ call: Call) async throws -> ImportFailure {
    try await call.write { try Imports.end(row.id, .failed, $0, because: .lost) }
    return .notUploading
  }

  /// Looks what the file is, and lets it be read, or refuses it. For want of consent it stays as it is: it can be completed once
  /// that is given.
  static func complete(
    _ id: ImportID, of account: AccountID, _ inspections: ImportInspections, _ spool: ImportSpool, _ call: Call
  ) async throws -> ImportRow {
    var row = try call.store.lookUp { try Imports.find(id, of: account, in: $0) }
    if row.state == .uploading, row.format == nil {
      guard row.receivedBytes == row.totalBytes else {
        throw ImportFailure.incomplete.with(["received": .number(row.receivedBytes), "total": .number(row.totalBytes)])
      }
      try await inspections.inspect(row, spool, call.store)
      row = try call.store.lookUp { try Imports.find(id, of: account, in: $0) }
    }
    if let failure = row.failure { throw failure }
    guard row.state == .uploading, let format = row.format else {
      // Asked once more.
      guard row.state != .cancelled else { throw ImportFailure.notUploading }
      return row
    }
    try await ImportConsent.catchUp(for: format, call)
    let after = try await call.write { transaction in
      try ImportConsent.require(for: format, of: account, in: transaction.database)
      try Imports.accept(id, as: format, transaction)
      return try Imports.find(id, of: account, in: transaction.database)
    }
    if let failure = after.failure { throw failure }
    return after
  }
}
