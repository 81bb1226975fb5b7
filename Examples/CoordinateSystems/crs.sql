SELECT crs.auth_name AS authority, crs.code, crs.name, crs.type, crs.deprecated,
  extent.name AS area, south_lat, north_lat, west_lon, east_lon
FROM crs_view AS crs
JOIN usage ON object_table_name = crs.table_name AND object_auth_name = crs.auth_name
  AND object_code = crs.code
JOIN extent ON extent.auth_name = extent_auth_name AND extent.code = extent_code
WHERE south_lat IS NOT NULL AND crs.auth_name <> 'IAU_2015'
GROUP BY crs.auth_name, crs.code;
