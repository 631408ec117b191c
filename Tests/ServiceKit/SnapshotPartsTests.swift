import GRDB
import IdentityContract
import Operations
import Synchronization
import Testing

@testable import ServiceKit

@Suite("The parts of a snapshot")
struct SnapshotPartsTests {
  @Test(
    "A page continues in the part that its key names, and begins again if that part no longer exists",
    arguments: [
      (nil, "first after nil", "first/1"), ("first/1", "first after 1", "first/1"),
      ("second/", "second after nil", "second/1"), ("second/7", "second after 7", "second/1"),
      ("gone/7", "first after nil", "first/1"), ("gone/", "first after nil", "first/1"),
      ("gone", "first after nil", "first/1"),
    ] as [(String?, String, String)])
  func keys(key: String?, asked: String, next: String) throws {
    let calls = Mutex<[String]>([])
    @Sendable func part(_ name: String) -> SnapshotPart {
      SnapshotPart(name, SessionRevoked.self) { _, key in
        calls.withLock { $0.append("\(name) after \(key ?? "nil")") }
        return ([], "1")
      }
    }
    let parts = SnapshotParts([part("first"), part("second")])
    let page = try DatabaseQueue().read { try parts.page($0, after: key) }
    #expect(calls.withLock { $0 } == [asked])
    #expect(page.nextKey == next)
  }
}
