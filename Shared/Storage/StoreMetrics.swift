import GRDBSQLite
import Metrics

/// The metrics of a store.
struct StoreMetrics: Sendable {
  let commits: Counter
  let writesPerCommit: Recorder
  let commitDuration: Timer
  let readsPerAccess: Recorder
  let waitingWrites: Gauge
  let waitingReads: Gauge
  /// Writes refused because the disk was full or read-only, and whether writes are possible now (1) or not (0).
  let refusedWrites: Counter
  let isWritable: Gauge

  init(factory: any MetricsFactory = MetricsSystem.factory) {
    commits = Counter(label: "store_commits", dimensions: [], factory: factory)
    writesPerCommit = Recorder(label: "store_writes_per_commit", dimensions: [], aggregate: true, factory: factory)
    commitDuration = Timer(label: "store_commit_duration", dimensions: [], factory: factory)
    readsPerAccess = Recorder(label: "store_reads_per_access", dimensions: [], aggregate: true, factory: factory)
    waitingWrites = Gauge(label: "store_accesses_waiting", dimensions: [("access", "write")], factory: factory)
    waitingReads = Gauge(label: "store_accesses_waiting", dimensions: [("access", "read")], factory: factory)
    refusedWrites = Counter(label: "store_writes_refused", dimensions: [], factory: factory)
    isWritable = Gauge(label: "store_is_writable", dimensions: [], factory: factory)
  }
}

extension Store {
  /// How many bytes SQLite holds for all stores of this process: cached pages, schemas and statements.
  public static var memoryBytes: Int { Int(sqlite3_memory_used()) }
}
