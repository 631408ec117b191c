import Logging

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The number of files, and so of connections, that the process may have open.
enum OpenFiles {
  /// Raises the soft limit to the hard one: shells often begin with 1,024.
  static func raiseLimit(_ logger: Logger) {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65536)
    if setrlimit(resource, &limit) != 0 {
      logger.warning("the limit of open files could not be raised", metadata: ["errno": "\(errno)"])
    }
  }
}
