import Cluster
import Foundation
import Glibc
import Operations
import Testing

@Suite("Libraries in the memory of the six idle processes", .serialized)
struct IdleMemoryTests {
  @Test("No process loads libcurl and its libraries before it first fetches or mails something")
  func libcurl() async throws {
    let cluster = try RunningCluster()
    defer { cluster.stop() }
    try await cluster.start()
    for service in ServiceName.allCases {
      // The kernel gives it in pieces of a page: whoever takes a short one for the last sees the first libraries alone.
      let file = open("/proc/\(cluster.processID(service))/maps", O_RDONLY)
      try #require(file >= 0)
      var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
      while case let count = read(file, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
      close(file)
      let maps = String(decoding: bytes, as: UTF8.self)
      #expect(maps.contains("/libzmq.so."), "\(service.rawValue)")
      #expect(!maps.contains("/libcurl.so.") && !maps.contains("/libldap"), "\(service.rawValue)")
    }
  }
}
