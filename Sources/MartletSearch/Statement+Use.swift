import MartletEngine

extension Statement {
  /// Calls `body`, which runs the statement, and makes it ready again also where that fails. Of
  /// what fails inside, a table tells only the code.
  @inline(__always)
  func use<Result>(
    _ body: (Statement) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let result: Result
    do throws(SQLError) {
      result = try body(self)
    } catch {
      // What has failed first counts more than what ending the statement does.
      do throws(SQLError) { try reset() } catch {}
      throw SQLError(error.code)
    }
    do throws(SQLError) { try reset() } catch { throw SQLError(error.code) }
    return result
  }

  /// Runs the statement to its end.
  @inline(__always)
  func runToEnd() throws(SQLError) {
    try use { statement throws(SQLError) in while try statement.step() {} }
  }
}
