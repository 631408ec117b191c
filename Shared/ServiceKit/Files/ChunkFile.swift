#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that arrives in chunks, for its owner's eyes alone (0600). What it does waits for the disk.
public struct ChunkFile: Sendable {
  public let path: String
  private let root: String

  /// - Parameter root: a folder above it, which is always there; those between are made with the file (0700).
  public init(_ path: String, below root: String) {
    self.path = path
    self.root = root
  }

  /// The folders above it, the nearest first, the root last.
  private var folders: [String] {
    var folders: [String] = []
    var rest = path[...]
    while rest.utf8.count > root.utf8.count, let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      folders.append(String(rest))
    }
    return folders
  }

  /// Writes a chunk. When this returns it will survive a loss of power, and so will the file, which the first one makes.
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
    // Whoever made the file or a folder before may have ended before this.
    if offset == 0 { try synchronizeFolders() }
  }

  /// A new file, or the one that there is.
  private func created() throws -> Int32 {
    while true {
      if let folder = folders.first { try PrivateFolder.make(folder) }
      let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_CREAT, 0o600)
      // The folder may go with its last file, and that may have gone just now.
      guard descriptor < 0, errno == ENOENT else { return descriptor }
    }
  }

  private func synchronizeFolders() throws {
    for folder in folders {
      do {
        try PrivateFolder.synchronize(folder)
      } catch let fault as FileFault where fault.isGone {
        // It went with the file, which somebody has removed meanwhile.
        continue
      }
    }
  }

  /// Bytes of it: as many as asked for, or as are left.
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

  /// Whether these bytes stand in it at that position.
  ///
  /// - Throws: ``FileFault``, also where it is shorter: what has arrived is gone.
  public func holds(_ bytes: ArraySlice<UInt8>, at offset: Int) throws -> Bool {
    let found = try read(from: offset, count: bytes.count)
    guard found.count == bytes.count else { throw FileFault(operation: "read", number: ENOENT) }
    return found.elementsEqual(bytes)
  }
}
