#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that arrives in chunks, accessible only to its owner (0600). Its functions block on the disk.
public struct ChunkFile: Sendable {
  public let path: String
  private let root: String

  /// - Parameter root: an existing folder above the file; the folders in between are created with the file (0700).
  public init(_ path: String, below root: String) {
    self.path = path
    self.root = root
  }

  /// The folders above the file, the nearest first, the root last.
  private var folders: [String] {
    var folders: [String] = []
    var rest = path[...]
    while rest.utf8.count > root.utf8.count, let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      folders.append(String(rest))
    }
    return folders
  }

  /// Writes a chunk. When this returns, the chunk will survive a power failure, and so will the file, which the first chunk creates.
  ///
  /// - Throws: ``FileFault``.
  public func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws {
    let descriptor = offset == 0 ? try created() : open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFault(operation: "open", number: errno) }
    defer { close(descriptor) }
    try bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let count = pwrite(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written, off_t(offset + written))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw FileFault(operation: "write", number: errno) }
        written += count
      }
    }
    guard fsync(descriptor) == 0 else { throw FileFault(operation: "sync", number: errno) }
    // A process that created the file or a folder before may have ended before this.
    if offset == 0 { try synchronizeFolders() }
  }

  /// How often the file's folder may disappear while the file is created.
  private static let maxTries = 100

  /// A new file, or the existing one.
  ///
  /// - Throws: ``FileFault``: the file is gone where its folder disappears each time.
  private func created() throws -> Int32 {
    for _ in 0..<Self.maxTries {
      if let folder = folders.first { try PrivateFolder.make(folder) }
      let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_CREAT, 0o600)
      // The folder is removed with its last file, which may have happened just now.
      guard descriptor < 0, errno == ENOENT else { return descriptor }
    }
    throw FileFault(operation: "open", number: ENOENT)
  }

  private func synchronizeFolders() throws {
    for folder in folders {
      do {
        try PrivateFolder.synchronize(folder)
      } catch let fault as FileFault where fault.isGone {
        // The folder was removed with the file meanwhile.
        continue
      }
    }
  }

  /// Bytes of the file: as many as requested, or as are left.
  ///
  /// - Throws: ``FileFault``.
  public func read(from offset: Int, count: Int) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFault(operation: "open", number: errno) }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let more = buffer.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
      }
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw FileFault(operation: "read", number: errno) }
      guard more > 0 else { break }
      filled += more
    }
    return filled == count ? buffer : Array(buffer[..<filled])
  }

  /// Whether the file holds these bytes at that position.
  ///
  /// - Throws: ``FileFault``, also if the file is shorter: bytes that had arrived are gone.
  public func holds(_ bytes: ArraySlice<UInt8>, at offset: Int) throws -> Bool {
    let found = try read(from: offset, count: bytes.count)
    guard found.count == bytes.count else { throw FileFault(operation: "read", number: ENOENT) }
    return found.elementsEqual(bytes)
  }
}
