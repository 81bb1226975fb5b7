/// Statements over `bindTestDefinitions`, by topic; each binds as in C SQLite, or fails as there.
enum BindStatements {
  /// Where aggregates may stand and whose they are.
  static let aggregates = #"""
    select (select x from t2 group by t1.c limit 1) from t1
    select a from t1 where count(*)>1
    select count(*) c from t1 where c>1
    select count(*) c from t1 where count(*)>1
    select sum(sum(a)) from t1
    select count(distinct a,b) from t1
    select a from t1 group by 2
    select a from t1 having a>1
    select max(a) from t1 having a>1
    select sum(a) from t1 group by sum(a)
    select sum(a) s from t1 group by s
    select a as q from t1 where q>0 group by q having q order by q
    select count() from t1
    select (select count(a)) from t1
    select (select count(a) from t2) from t1
    select (select count(t1.c) from t2) from t1
    select (select sum(t1.c+x) from t2) from t1
    select a from t1 where (select count(t1.c) from t2)
    select a, (select sum(t1.c) from t2 where sum(t1.a)) from t1
    select a from t1 group by 1 having count(*)>5 and nosuch
    select a, count(*) from t1 order by nosuch
    select count(*) from t1 order by count(*)
    select a from t1 order by count(*)
    select a from t1 group by a order by count(*)
    select sum(distinct a) filter (where a) from t1
    select group_concat(distinct a,',') from t1
    select group_concat(a order by b) from t1
    select count(*) order by 1
    select max(a,b) from t1
    select max(distinct a) from t1
    select max() from t1
    select min(a), b as q from t1 where q
    select count(*) filter (where count(*)>1) from t1
    select a from t1 group by (a,b)
    select max((1,2))
    select count(a,b) from t1
    select count(*), a from t1 where a in (select x from t2 where count(*)>1)
    select (select count(*) from t2 where x = count(t1.a)) from t1
    select a from t1 group by 1, 5
    select sum((select a)) from t1
    select sum(t1.a) from t2, (select sum(x) from t2)
    select (select sum(a+t2.x) from t1) from t2
    select max(a), (select b) from t1
    select count(*) from t1 group by a having b order by c limit 1 offset 2
    select a from t1 limit count(*)
    select a from t1 where nosuch2 group by nosuch3 having nosuch4 order by nosuch5
    select a from t1 group by nosuch3 order by nosuch5
    """#.split(separator: "\n").map(String.init)

  /// NATURAL, USING, ON, parentheses.
  static let joins = #"""
    select * from t1 join t2 using(a) where a=1
    select * from t1 join t2 using(b)
    select * from t1 natural join t2
    select * from t1 natural join t2 using(a)
    select * from t1 natural join t2 on 1
    select * from t1 full join t2 using(a)
    select a from t1 right join t2 using(a)
    select * from (t1 join t2 on 1) join t3 on 1
    select t1.a, a from (t1 join t3 on 1) as n
    select n.a from (t1 join t3 on 1) as n
    select n.a, n.* from (t1 join t3 on 1) as n
    select t1.a from t2 left join (t1 join t3 on 1) on 1
    select (t1.a) from t2 left join (t1 join t3 using(rowid)) on 1
    select * from t3 join (t1 join t2) limit 0
    select * from t3 left join (t1 join t2 using(a)) limit 0
    select a,t1.a,t2.a,t1.rowid from t3 left join (t1 join t2 using(a)) limit 0
    select t2.* from t3 left join (t1 join t2 using(a)) limit 0
    select * from t3 left join (t1 join t2 on t1.a=t2.a) as q limit 0
    select q.* from t3 left join (t1 join t2 on t1.a=t2.a) as q limit 0
    select * from (select * from t1 join t2) limit 0
    select a as q from t1 join t2 on q=1
    select t1.a from t1 left join t2 on t3.id join t3
    select t1.a from t1 join t2 on t3.id join t3
    select t1.a from t1 join t2 on t3.id right join t3
    select rowid, * from t1 natural full join t2
    select x.a from t2 join (t1 as x)
    select t1.a from t2 join (t1 as x)
    select y.a from t2 join (t1 as x) as y
    select * from t1 join t2 using(a) join t3 using(z)
    select * from t1 left join t2 using(a) right join t2 as t4 using(a)
    select * from v natural join w
    select t1.a from t1 left join t2 on t1.a=t2.x where t2.nosuch
    select a from t1 join t2 on nosuch6 where nosuch7
    """#.split(separator: "\n").map(String.init)

  /// UNION and its like, VALUES.
  static let compounds = #"""
    select a from t1 union select x from t2 order by 2
    select a from t1 union select x from t2 order by y
    select a from t1 union select x from t2 order by x
    select a,b from t1 union select x from t2
    values(1,2),(3,4)
    select * from (values(1,2),(3,4))
    select * from t1 union all select * from t2 limit 1
    select a as x, b as y from t1 union select 1,2 order by x+1
    select (1,2) in (select 1,2), (1,2) in (values(1,2))
    select a from t1 union select a,b from t1 union select a from t1
    select nosuch1 union select nosuch2
    select 1 as a union select 2 order by a+0
    values(count(*))
    values(1),(count(*))
    select a from t1 union select 1 order by 1, 7
    select a from t1 union select 1 order by 1, nosuch
    select (select 1 union select 1,2)
    select * from (select 1 union select 1,2)
    select 1 union all select 1,2 union all select 1
    """#.split(separator: "\n").map(String.init)

  /// Row values and subqueries of several columns.
  static let rowValues = #"""
    select abs(1,2)
    select (1,2)
    select (1,2)=(1,2,3)
    select 1 = (select 1,2)
    select (1,2) = (select 1,2,3)
    select (1,2) in (select 1)
    select (1,2) in ((1,2),(3,4))
    select (1,2) in ((1,2),(3,4,5))
    select 1 in (1,(2,3))
    select (1,2) is null
    select case (1,2) when (1,2) then 1 end
    select (1,2) between (1,1) and (1,3)
    select 'a' in (1,2), 1 not in (select 1)
    select (select 1,2) in (select 1,2)
    select exists(select 1,2)
    select (a,b)=(select a,b from t1) from t1
    select (select a,b from t1)=(a,b) from t1
    select (a,b)>(1,2), (a,b) is (1,2), (a,b) is not (1,2) from t1
    select (1,2) + 1
    select -(1,2)
    select abs((1,2))
    select a from t1 order by (1,2)
    select case when (1,2) then 1 end
    select (1,(2,3)) = (1,(2,3))
    select 1 limit (1,2)
    select (select 1,2) between (1,2) and (3,4)
    select case when 1 then (select 1,2) end
    select * from t1 where (select 1,2)
    select * from t1 order by (select 1,2)
    select likely(a), unlikely(1,2) from t1
    select cast((1,2) as int)
    select (1,2) collate nocase
    select (1,2) || 'x'
    select not (1,2)
    select (1,2) and 1
    select (1,2) is true
    select (1,2) like 'x'
    select 'x' like (1,2)
    select 1 between (1,2) and 3
    select (1,2) between 1 and (1,2)
    select case (1,2) when 1 then 2 end
    """#.split(separator: "\n").map(String.init)

  /// WITH.
  static let commonTables = #"""
    with t1 as (select 99) select * from v
    with q as (select 1) select * from q(1)
    with c as (select * from c) select * from c
    with c(a,b) as (select 1) select * from c
    with c as (select 1), c as (select 2) select * from c
    with c as (select a from d), d as (select 3 as a) select * from c
    with c(x,y) as (values(1,2)) select * from c as d, c
    with q(a) as (select a from t1) select q.a, a, main.q.a from q
    with q(a) as (select a from t1) select rowid from q
    with q(a) as (select a from t1) select q.a, a from main.q
    """#.split(separator: "\n").map(String.init)

  /// ORDER BY, LIMIT.
  static let ordering = #"""
    select (select a from t2 order by t1.c limit 1) from t1
    select abs(a order by b) from t1
    select a from t1 order by 3
    select a from t1 order by -1
    select a from t1 order by +1
    select sqlite_master.* from sqlite_schema limit 0
    select a from t1 order by a collate nosuch
    select a from t1 limit a
    select a from t1 limit "a"
    select t1.*,* from t1 limit 0
    select distinct a from t1 order by b
    select t1.a as z from t1 order by t1.z
    select 1 where 2 order by nosuch
    select * from main.sqlite_master limit 0
    select * from temp.sqlite_master limit 0
    select * from sqlite_temp_master limit 0
    select * from temp.sqlite_schema limit 0
    select * from main.sqlite_temp_master limit 0
    select a from t1 order by 1, 2, 3, 4
    select a from t1 order by 2.0
    select a from t1 order by '1'
    select a from t1 order by 99999999999
    select a from t1 order by 1+1
    select a from t1 limit nosuch
    select a from t1 limit 1 offset t1.a
    select a from t1 limit (select a from t1)
    select nosuch from t1 limit nosuch2
    """#.split(separator: "\n").map(String.init)

  /// `*`, and tables that are not there.
  static let stars = #"""
    select * from (select A, t1.B, a+1, a, a from t1)
    select abs(*) from t1
    select * from nosuch(1)
    select * from t1(1)
    select * from bad
    select * from bad2
    select * from main.nosuch
    select * from nodb.nosuch
    select * from t1,t2 where a=1
    select x.* from t1
    select *
    select t1.*
    select t1.* from t1 as q
    select * from t1 indexed by nosuch
    select * from t1 indexed by i1
    select * from (t1) as q
    select sqlite_schema.* from sqlite_schema
    select * from t1 where a in t2
    select * from t1 where a in (select * from t2)
    select * from nosuchfunc(1)
    select * from (select 1 as a, 2 as a)
    select * from t1, t1
    select unknown(*) from t1
    select * from (select 1 as a) q, (select 2 as a) q
    select * from (select 1), (select 2)
    select * from (select true, 1 as "true", null)
    select * from t1 where rowid=1 and _rowid_=1 and oid = 1
    select * from t1 as a, t2 as a
    select * from nosuch1, nosuch2
    """#.split(separator: "\n").map(String.init)

  /// Which column a name means, and how the result names it.
  static let names = #"""
    select A from t1
    select A from (select a from t1)
    select Foo,ID,rowid from t3
    select foo,id,rowid,oid,t3._rowid_ from t3
    select abs(distinct a) from t1
    select abs(a) filter (where 1) from t1
    select a regexp b from t1
    select "nosuch" from t1
    select (select a,b from t1)
    select nosuch in () from t1
    select nodb.t1.a from t1
    select main.t1.a from t1
    select temp.t1.a from t1
    select main.z.a from t1 as z
    select t1.a from t1 as z
    select z.nosuch from t1 as z
    select rowid from v
    select rowid from (select 1)
    select rowid from t1,t2
    select likelihood(a,0.5) from t1
    select likelihood(a,2) from t1
    select row_number() from t1
    select ("a") from t1
    select (a) , ((b)), a  +  1 from t1
    select t1 . a from t1
    select 'x' as "q" , 3 'z', [a] from t1
    select sqlite_schema.name from sqlite_schema
    select sqlite_master.name from sqlite_schema
    select nosuch and 0 from t1
    select 0 and nosuch from t1
    select (0) and nosuch from t1
    select a in v from t1
    select a in nosuch from t1
    select a.b.c.d from t1
    select cast(a as ) from t1
    select a like b escape 'xx' from t1
    select a glob b from t1
    select abs(a) over () from t1
    select "a" from t1 where "nosuch"='nosuch'
    select "a b" from "T 4"
    select [A B] from [t 4]
    select a from (select 1 as a, 2 as a)
    select t1.a from t1, t1
    select a from t1 where a=(select a from t2 where t2.a=t1.a and t3.id=1)
    select typeof((select a,b from t1))
    select sqlite_offset(a) from t1
    select x.a from (t1 as x)
    select x.a from (t1 as x) as y
    select y.a from (t1 as x) as y
    select true from t1
    select a b c from t1
    select rowid from wr
    select a.a from t1 as a, t2 as a
    select q from (select a q, b from t1) where b='x' and a=1
    select a in (1), a in ('x'), a in (null) from t1
    select x from t2 where nosuch in (select a from t1)
    select x from t2 where (x,y) in (select a from t1)
    select 1 in (select a,b from t1)
    select nosuch from (select nosuch2 from t1)
    select nosuch from t1 where nosuch2
    """#.split(separator: "\n").map(String.init)

  /// Literals, operators, functions.
  static let expressions = #"""
    select nosuch(1)
    select 1 as a, 2 as b where a
    select true, false, "true"
    select 0x8000000000000000, -9223372036854775808, 9223372036854775808, 1_000
    select -0x8000000000000000
    select 0x12345678901234567
    select 'a' collate nosuch
    select 'a' collate nosuch = 'b'
    select raise(ignore)
    select current_date is not null
    select ?1, :a, @b
    select x'AB', x'abc'
    select last_insert_rowid(), changes()
    select nosuch.a.b.c
    select 1 in t1
    """#.split(separator: "\n").map(String.init)
}
