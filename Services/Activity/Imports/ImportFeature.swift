import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Imports: files of other programs are uploaded, decoded in sandboxed processes, and their records are taken in (MOVE-3).
struct ImportFeature: Feature {
  private let calendars: AccountCalendars
  private let rules: FairnessRules
  private let limits: ImportLimits
  private let spool: ImportSpool
  /// Wakes the worker that removes files of imports that ended without their owners' request.
  private let sweep = WakeSignal()

  let migrations = [
    ImportStore.migration(9), ImportStore.startsMigration(21), ImportStore.totalsMigration(30),
    ImportStore.publishedMigration(43), ImportStore.detailsMigration(44), ImportStore.forgottenMigration(52),
  ]
  let tables: [ErasedTable] = [
    .following("import_problems", "imports", where: ImportFeature.owned),
    .following("import_exercises", "imports", where: "account_id = :account"),
    .following("import_days", "imports", where: ImportFeature.owned),
    // No file is read on, or taken in.
    .rows("imports", "account_id = :account", .steps).stopped(
      by: "UPDATE imports SET state = 'cancelled', ended_at = :now WHERE account_id = :account AND ended_at IS NULL"),
    .rows("imported_habits", "account_id = :account", .activities),
  ]

  private static let owned = "import_id IN (SELECT import_id FROM imports WHERE account_id = :account)"

  init(calendars: AccountCalendars, rules: FairnessRules, _ environment: ServiceEnvironment) {
    self.calendars = calendars
    self.rules = rules
    limits = ImportLimits(environment.settings)
    spool = ImportSpool(environment.home, program: environment.program)
  }

  func register(in service: inout ServiceDefinition) {
    let signal = WakeSignal()
    let handlers = ImportHandlers(limits: limits, spool: spool, signal: signal)
    service.serve(CreateImport.self, prepare: ImportHandlers.prepareCreate, write: handlers.create)
    service.serve(UploadImportChunk.self, handlers.uploadChunk)
    service.serve(CompleteImport.self, handlers.complete)
    service.serve(GetImport.self, read: ImportHandlers.get)
    service.serve(ListImports.self, read: ImportHandlers.list)
    service.serve(ListImportProblems.self, read: ImportHandlers.listProblems)
    service.serve(ListImportedExercises.self, read: ImportHandlers.listExercises)
    service.serve(CancelImport.self, write: ImportHandlers.cancel, afterwards: handlers.removeFile)
    service.run { [spool, calendars, rules] in
      ImportWorker(store: $0, spool: spool, calendars: calendars, rules: rules, signal: signal, pulse: $1)
    }
    service.run { [spool] in ImportHousekeepingWorker(store: $0, spool: spool) }
    service.run { [spool, sweep] store in
      ImportSweepWorker(housekeeping: ImportHousekeepingWorker(store: store, spool: spool), signal: sweep)
    }
  }

  func consentsWithdrawn(_ purposes: Set<ConsentPurpose>, by account: AccountID, _ transaction: Transaction) throws {
    guard purposes.contains(.activityData) else { return }
    try ImportStore.endUnconsented(of: account, transaction)
    transaction.afterCommit { sweep.send() }
  }

  func clean(_ erasure: ErasedAccount, _ store: Store) async throws { try await spool.removeAll(of: erasure.account) }
}
