import Metrics

/// What a store tells of itself.
struct StoreMetrics: Sendable {
  let commits = Counter(label: "store_commits")
  let writesPerCommit = Recorder(label: "store_writes_per_commit")
  let commitDuration = Timer(label: "store_commit_duration")
  let readsPerAccess = Recorder(label: "store_reads_per_access")
  let waitingWrites = Gauge(label: "store_waiting", dimensions: [("access", "write")])
  let waitingReads = Gauge(label: "store_waiting", dimensions: [("access", "read")])
}
