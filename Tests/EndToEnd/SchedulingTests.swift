import Cluster
import Foundation
import Operations
import Testing

@Suite("Scheduling of the six processes by the kernel", .serialized)
struct SchedulingTests {
  @Test("Every thread is scheduled in batches, so that under load work is gathered instead of interrupted")
  func batches() async throws {
    let cluster = try RunningCluster()
    defer { cluster.stop() }
    try await cluster.start()
    for service in ServiceName.allCases {
      let policies = try Self.policies(of: cluster.processID(service))
      #expect(policies.count > 2)
      #expect(policies.allSatisfy { $0 == "3" }, "\(service.rawValue): \(policies)")
    }
  }

  /// The scheduling policy of each thread: 0 is SCHED_OTHER, 3 SCHED_BATCH (man 5 proc, `stat`, field 41).
  private static func policies(of process: Int32) throws -> [Substring] {
    let threads = "/proc/\(process)/task"
    return try FileManager.default.contentsOfDirectory(atPath: threads).compactMap { thread in
      // A thread may end meanwhile, and its file with it.
      guard let bytes = FileManager.default.contents(atPath: "\(threads)/\(thread)/stat"), !bytes.isEmpty else { return nil }
      let stat = String(decoding: bytes, as: UTF8.self)
      // The second field, the name, may hold anything, and ends with the last parenthesis.
      let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
      return fields[39]
    }
  }
}
