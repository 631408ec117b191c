import Cluster
import Foundation
import Operations
import Testing

@Suite("What the six processes have in memory before they are used", .serialized)
struct IdleMemoryTests {
  @Test("No process has libcurl in memory, and the libraries that come with it, before it fetches or mails something")
  func libcurl() async throws {
    let cluster = try RunningCluster()
    defer { cluster.stop() }
    try await cluster.start()
    for service in ServiceName.allCases {
      let maps = try String(contentsOfFile: "/proc/\(cluster.processID(service))/maps", encoding: .utf8)
      #expect(maps.contains("/libzmq.so."), "\(service.rawValue)")
      #expect(!maps.contains("/libcurl.so.") && !maps.contains("/libldap"), "\(service.rawValue)")
    }
  }
}
