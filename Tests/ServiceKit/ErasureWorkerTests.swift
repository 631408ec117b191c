import Foundation
import Logging
import Operations
import Storage
import Testing

@testable import ServiceKit

@Suite("Finishing erasures (ID-12)")
final class ErasureWorkerTests {
  private let path = "/tmp/racha-worker-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @Test("Erasures that cannot be cleaned or confirmed yet do not delay others, however many there are")
  func independent() async throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let store = try Store(
      path: "\(path)/a.sqlite", service: .activity, migrations: [], secret: [UInt8](repeating: 1, count: 32),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let accounts = (0..<ErasureWorker.batch * 2 + 10).map { _ in AccountID() }
    try await store.write { transaction in
      for account in accounts { try Erasure([]).begin(account, ID(), transaction) }
    }
    try await store.scrubEarlierPages()
    // More than a batch of them, some at either step.
    let dirty = Set(accounts.prefix(ErasureWorker.batch))
    let unconfirmed = Set(accounts.dropFirst(ErasureWorker.batch).prefix(5))
    func worker(clean: Set<AccountID>, confirm: Set<AccountID>) -> ErasureWorker {
      ErasureWorker(
        store: store, erasure: Erasure([]), cleanSeconds: 86_400, clock: .system, signal: WakeSignal(), pulse: Pulse(),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        clean: { erasure, _ in if clean.contains(erasure.account) { throw Failure(RequestFailure.unavailable) } },
        confirm: { erasure, _ in if confirm.contains(erasure.account) { throw Failure(RequestFailure.unavailable) } })
    }
    #expect(try await worker(clean: dirty, confirm: unconfirmed).finish().isDone == false)
    let left = try await store.read { try $0.unconfirmedErasures(limit: 1000) }
    #expect(Set(left.map(\.account)) == dirty.union(unconfirmed))
    #expect(Set(left.filter(\.isCleaned).map(\.account)) == unconfirmed)
    #expect(try await worker(clean: [], confirm: []).finish().isDone)
    #expect(try await store.read { try $0.unconfirmedErasures(limit: 1) }.isEmpty)
    await store.close()
  }

  @Test("A hanging erasure worker shows in its service's health, and an idle one rests")
  func pulse() async throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let store = try Store(
      path: "\(path)/a.sqlite", service: .activity, migrations: [], secret: [UInt8](repeating: 1, count: 32),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await store.scrubEarlierPages()
    try await store.write { try Erasure([]).begin(AccountID(), ID(), $0) }
    let (pulse, signal) = (Pulse(), WakeSignal())
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    let (finished, finish) = AsyncStream.makeStream(of: Void.self)
    let worker = ErasureWorker(
      store: store, erasure: Erasure([]), cleanSeconds: 86_400, clock: .system, signal: signal, pulse: pulse,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      clean: { _, _ in
        begin.yield()
        for await _ in opened { break }
      }, confirm: { _, _ in },
      afterwards: { _ in
        finish.yield()
        return true
      })
    let running = Task { try await worker.run() }
    for await _ in begun { break }
    let now = ContinuousClock.now
    #expect(!pulse.isStuck(at: now) && pulse.isStuck(at: now + ErasureWorker.round * 2))
    open.yield()
    for await _ in finished { break }
    // It rests a moment after the cleaning; that it goes on shows that it has nothing to do.
    while pulse.isStuck(at: ContinuousClock.now + .seconds(100_000)) { await Task.yield() }
    running.cancel()
    _ = await running.result
    await store.close()
  }
}
