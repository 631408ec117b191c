import Foundation
import Testing

@testable import ServiceKit

@Suite("The memory of a process", .timeLimit(.minutes(1)))
struct HeapTests {
  /// How many of these addresses have memory.
  private func resident(_ addresses: [UInt]) throws -> Int {
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    return try addresses.count { address in
      var found: UInt8 = 0
      let start = try #require(UnsafeMutableRawPointer(bitPattern: address / page * page))
      // ENOMEM: nothing is mapped there any more.
      return mincore(start, Int(page), &found) == 0 && found & 1 == 1
    }
  }

  /// Allocates some 40 MB, and frees all but one block in 64, so that `free` by itself returns next to nothing.
  ///
  /// - Returns: the blocks that remain, and where the others were.
  private func freeMost() -> (remaining: [UnsafeMutableRawPointer], freed: [UInt]) {
    let blocks = (0..<40_000).map { _ in
      let block = UnsafeMutableRawPointer.allocate(byteCount: 1000, alignment: 16)
      memset(block, 1, 1000)
      return block
    }
    var remaining: [UnsafeMutableRawPointer] = []
    var freed: [UInt] = []
    for (index, block) in blocks.enumerated() {
      if index.isMultiple(of: 64) || index == blocks.count - 1 {
        remaining.append(block)
      } else {
        freed.append(UInt(bitPattern: block))
        block.deallocate()
      }
    }
    return (remaining, freed)
  }

  @Test("Memory that was freed is returned to the system, though blocks in use lie between")
  func trimming() async throws {
    let (remaining, freed) = freeMost()
    defer { for block in remaining { block.deallocate() } }
    #expect(try resident(freed) > freed.count * 9 / 10)
    let trimming = Task { try await Heap.Trimming(pause: .milliseconds(10)).run() }
    defer { trimming.cancel() }
    while try resident(freed) > freed.count / 2 { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test("Large blocks come from the system, also after one of their size was freed")
  func largeBlocks() throws {
    Heap.configure()
    for _ in 0..<3 {
      // So large that no arena has as much free by chance: what is free in one is used first.
      let block = try #require(malloc(24 << 20))
      defer { free(block) }
      // The size before a block has a bit for that (malloc.c, IS_MMAPPED).
      #expect(block.load(fromByteOffset: -MemoryLayout<UInt>.size, as: UInt.self) & 2 != 0)
    }
  }
}
