import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// Imports: created, uploaded in chunks, completed, shown and cancelled.
struct ImportHandlers: Sendable {
  let limits: ImportLimits
  let spool: ImportSpool
  /// Wakes the worker that reads waiting imports.
  let signal: WakeSignal
  private let writers = ChunkWriters<ImportID>()
  private let inspections = ImportInspections()

  init(limits: ImportLimits, spool: ImportSpool, signal: WakeSignal) {
    self.limits = limits
    self.spool = spool
    self.signal = signal
  }

  static func prepareCreate(_ input: CreateImport.Input, _ call: AccountCall) async throws {
    try await ImportConsent.catchUp(for: input.format, call)
  }

  func create(
    _ input: CreateImport.Input, _ prepared: Void, _ call: AccountCall, _ transaction: Transaction
  ) throws -> CreateImport.Output {
    try ImportConsent.require(for: input.format, of: call.account, in: transaction.database)
    return try ImportStore.create(input, of: call.account, limits, transaction).shown(call.language)
  }

  func uploadChunk(_ input: UploadImportChunk.Input, _ call: AccountCall) async throws -> UploadImportChunk.Output {
    let account = call.account
    let row = try await writers.alone(input.importID) {
      let chunk = try await ImportUpload.keep(input, of: account, spool, limits, call)
      return try await call.write { transaction in
        let row = try ImportStore.note(
          received: chunk.upperBound, after: chunk.lowerBound, of: input.importID, account, transaction)
        try ImportConsent.require(for: row.saidFormat, of: account, in: transaction.database)
        return row
      }
    }
    if let row { return .init(nextOffset: row.receivedBytes, totalBytes: row.totalBytes) }
    // Whether this chunk matches what has arrived meanwhile was not checked, so the client has to send it again.
    let now = try call.store.lookUp { try ImportStore.find(input.importID, of: account, in: $0) }
    return .init(nextOffset: min(input.offset, now.receivedBytes), totalBytes: now.totalBytes)
  }

  func complete(_ input: CompleteImport.Input, _ call: AccountCall) async throws -> CompleteImport.Output {
    let row = try await ImportUpload.complete(input.importID, of: call.account, inspections, spool, call)
    signal.send()
    return row.shown(call.language)
  }

  static func get(_ input: GetImport.Input, _ call: AccountCall, _ database: Database) throws -> GetImport.Output {
    try ImportStore.find(input.importID, of: call.account, in: database).shown(call.language)
  }

  static func list(_ input: ListImports.Input, _ call: AccountCall, _ database: Database) throws -> ListImports.Output {
    try ImportStore.list(of: call.account, call.page(input), call.language, in: database)
  }

  static func listProblems(
    _ input: ListImportProblems.Input, _ call: AccountCall, _ database: Database
  ) throws -> ListImportProblems.Output {
    let row = try ImportStore.find(input.importID, of: call.account, in: database)
    guard !row.areDetailsForgotten else { return Page(items: []) }
    return try ImportStore.problems(of: row.id, call.page(input), call.language, in: database)
  }

  static func listExercises(
    _ input: ListImportedExercises.Input, _ call: AccountCall, _ database: Database
  ) throws -> ListImportedExercises.Output {
    let row = try ImportStore.find(input.importID, of: call.account, in: database)
    guard !row.areDetailsForgotten else { return Page(items: []) }
    return try ImportStore.exercises(of: row.id, call.page(input), in: database)
  }

  static func cancel(
    _ input: CancelImport.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> CancelImport.Output {
    let row = try ImportStore.find(input.importID, of: call.account, in: transaction.database)
    try ImportStore.end(row.id, .cancelled, transaction)
    return try ImportStore.find(row.id, of: call.account, in: transaction.database).shown(call.language)
  }

  /// Removes the file of a cancelled import: a process that reads it has it open, and stops before the next batch.
  func removeFile(_ input: CancelImport.Input, _ call: AccountCall) async throws {
    try await spool.remove(input.importID, of: call.account)
  }
}
