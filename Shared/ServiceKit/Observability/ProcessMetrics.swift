import CoreMetrics
import Foundation
import Glibc
import Operations
import Storage

/// The metrics of a process and of its service's files, measured at each reading of the metrics (OPS-2).
///
/// A value that cannot be determined is `NaN`, which no alert takes for 0: for a missing file, or on a machine without `/proc`.
struct ProcessMetrics: Sendable {
  private let service: ServiceName
  private let home: Home

  /// - Parameter environment: the environment of the process; its supervisor sets `RACHA_RESTARTS` to how often the service ended
  ///   unexpectedly.
  init(_ service: ServiceName, home: Home, environment: [String: String] = ProcessInfo.processInfo.environment, started: Instant)
  {
    self.service = service
    self.home = home
    Gauge(label: "start_time_seconds").record(Double(started.milliseconds) / 1000)
    // In a container the number is unknown: then the series is missing, rather than 0.
    if let restarts = environment["RACHA_RESTARTS"].flatMap({ Int64($0) }), restarts >= 0 {
      Counter(label: "restarts").increment(by: restarts)
    }
  }

  /// Measures again.
  func record() {
    Gauge(label: "memory_bytes").record(ProcessMetrics.residentBytes ?? .nan)
    Gauge(label: "heap_bytes").record(Double(Heap.allocatedBytes))
    let files = service == .gateway ? home.path : home.stores
    Gauge(label: "disk_free_bytes").record(ProcessMetrics.freeBytes(at: files) ?? .nan)
    if service == .gateway {
      // One number for the whole cluster, reported by one of the six services.
      if let made = ProcessMetrics.changed(home.lastBackup) {
        Gauge(label: "last_backup_timestamp_seconds").record(made)
      }
    } else {
      let store = "\(home.stores)/\(service.rawValue).sqlite"
      Gauge(label: "store_bytes").record(ProcessMetrics.size(store) ?? .nan)
      // Missing while nothing was written: its size is 0.
      Gauge(label: "write_ahead_log_bytes").record(ProcessMetrics.size("\(store)-wal") ?? 0)
      Gauge(label: "sqlite_memory_bytes").record(Double(Store.memoryBytes))
    }
    // If the logs are kept elsewhere, as in a container, there are none.
    let logs = ["", ".1", ".2"].compactMap { ProcessMetrics.size("\(home.logs)/\(service.rawValue).log\($0)") }
    if !logs.isEmpty { Gauge(label: "log_bytes").record(logs.reduce(0, +)) }
  }

  /// Memory that the process has in use, including shared pages.
  private static var residentBytes: Double? {
    guard let data = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
    let pages = String(decoding: data, as: UTF8.self).split(at: " ").dropFirst().first.flatMap { Double($0) }
    return pages.map { $0 * Double(sysconf(CInt(_SC_PAGESIZE))) }
  }

  /// How many bytes a process without privileges may still write there.
  static func freeBytes(at path: String) -> Double? {
    var found = statvfs()
    guard statvfs(path, &found) == 0 else { return nil }
    return Double(found.f_bavail) * Double(found.f_frsize)
  }

  private static func size(_ path: String) -> Double? {
    var found = stat()
    return stat(path, &found) == 0 ? Double(found.st_size) : nil
  }

  /// When a file was last changed, in seconds since 1970.
  private static func changed(_ path: String) -> Double? {
    var found = stat()
    return stat(path, &found) == 0 ? Double(found.st_mtim.tv_sec) : nil
  }
}
